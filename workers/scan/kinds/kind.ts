/** What a content is by its bytes: its media type, and what may be done with it. */
export interface Kind {
  type: string
  family: Family
}

/** `archive` and `container` are what holds other files and is walked, the latter with an archive at its end besides; `sealed` is what nobody opens. */
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

/** What holds other files. */
export const archives: (Family | undefined)[] = ['archive', 'container', 'sealed']
