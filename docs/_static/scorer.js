/* The order of search results: the very name that was looked for, then what teaches, then the reference. */
var Scorer = {
  score: ([page, , , , score]) => {
    if (/^(start|guides|tutorials|service)\//.test(page)) return score + 18;
    return page === "inside/changes" ? score - 4 : score;
  },
  objNameMatch: 11, // a whole name: 26 with what follows
  objPartialMatch: 6, // a part of one: 21, and a word in the text of a guide: 23
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
