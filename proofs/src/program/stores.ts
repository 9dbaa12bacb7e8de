/** Far below what a program would choose: a run of a few dozen saves is folded several times. */
export const foldBytesMin = 3_000;
