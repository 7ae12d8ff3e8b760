/**
 * Names what is looked for beside the engine. It is raised with every change of a verdict, and only then: each number has every
 * object scanned again. A test holds it against the verdicts of a fixed set of samples.
 */
export const heuristicsVersion = 4
