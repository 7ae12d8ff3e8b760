/** What a content is by its bytes: its media type, and what may be done with it. */
export interface Kind {
  type: string
  family: Family
}

/** `container` is what holds other files and is left to the engine; `archive` what is walked here as well, `sealed` what neither opens. */
export type Family =
  | 'program'
  | 'library'
  | 'script'
  | 'shortcut'
  | 'disk-image'
  | 'archive'
  | 'container'
  | 'sealed'
  | 'ole'
  | 'pdf'
  | 'html'
  | 'svg'
  | 'image'
  | 'media'
  | 'font'
  | 'text'
  | 'data'
