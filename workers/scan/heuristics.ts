/**
 * Version of the heuristics. Increase it with every change of a verdict, and only then: each new number makes Millrace
 * scan every object again. A test compares it with the verdicts for a fixed set of samples.
 */
export const heuristicsVersion = 4
