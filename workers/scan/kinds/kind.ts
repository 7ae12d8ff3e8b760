export interface Kind {
  type: string
  family: Family
}

/**
 * `archive` and `container` hold other files and are examined. A `container` is also examined for an archive at its
 * end. `sealed` is never opened.
 */
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

export const archives: (Family | undefined)[] = ['archive', 'container', 'sealed']
