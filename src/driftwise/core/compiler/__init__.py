"""One source for interpreter and compiler; all that knows Numba's and LLVM's private parts."""
