/** The thread in which long articles are rendered. */
import { type Plain, plainOf, renderMarkdown } from './markdown.ts'

/** Renders an article as HTML, or, without notes, as what a reader sees of it. */
export const work = ({ text, notes }: { text: string; notes?: ReadonlyMap<string, number> }): string | Plain =>
  notes ? renderMarkdown(text, notes) : plainOf(text)
