/* The order of search results: a policy or a world by its name, what teaches, then the reference. */
var Scorer = {
  score: ([page, , , , score]) => {
    if (/^(start|guides|tutorials|service)\//.test(page)) return score + 18; // a word in its text: 23
    if (/^(policies|worlds)\//.test(page)) return score + 10; // its name: 31, a word in its text: 15
    return page === "inside/changes" ? score - 4 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 }, // any other name: 21
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
