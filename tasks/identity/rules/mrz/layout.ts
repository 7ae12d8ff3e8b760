/** A position: the line, the first character, and the end (exclusive). */
export type Span = readonly [line: number, from: number, to: number]

export type FieldClass = 'digits' | 'letters' | 'any'

/** A document format of ICAO 9303: parts 4 (TD3), 5 (TD1) and 6 (TD2). */
export interface Layout {
  format: 'TD1' | 'TD2' | 'TD3'
  lines: number
  length: number
  code: Span
  state: Span
  names: Span
  number: Span
  numberDigit: Span
  nationality: Span
  birth: Span
  birthDigit: Span
  sex: Span
  expiry: Span
  expiryDigit: Span
  /** Optional data. A number that is too long for its field continues here (TD1, TD2). */
  optional: Span
  /** The check digit of TD3, which can be the filler if the field is empty. */
  optionalDigit?: Span
  composite: Span
  /** The fields of the composite check digit. */
  compositeOf: readonly Span[]
}

/** Up to the check digit of the expiry, the second lines of TD2 and TD3 are equal. */
const second = {
  code: [0, 0, 2],
  state: [0, 2, 5],
  number: [1, 0, 9],
  numberDigit: [1, 9, 10],
  nationality: [1, 10, 13],
  birth: [1, 13, 19],
  birthDigit: [1, 19, 20],
  sex: [1, 20, 21],
  expiry: [1, 21, 27],
  expiryDigit: [1, 27, 28],
} as const

export const layouts: readonly Layout[] = [
  {
    ...second,
    format: 'TD3',
    lines: 2,
    length: 44,
    names: [0, 5, 44],
    optional: [1, 28, 42],
    optionalDigit: [1, 42, 43],
    composite: [1, 43, 44],
    compositeOf: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 43],
    ],
  },
  {
    ...second,
    format: 'TD2',
    lines: 2,
    length: 36,
    names: [0, 5, 36],
    optional: [1, 28, 35],
    composite: [1, 35, 36],
    compositeOf: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 35],
    ],
  },
  {
    format: 'TD1',
    lines: 3,
    length: 30,
    code: [0, 0, 2],
    state: [0, 2, 5],
    number: [0, 5, 14],
    numberDigit: [0, 14, 15],
    optional: [0, 15, 30],
    birth: [1, 0, 6],
    birthDigit: [1, 6, 7],
    sex: [1, 7, 8],
    expiry: [1, 8, 14],
    expiryDigit: [1, 14, 15],
    nationality: [1, 15, 18],
    names: [2, 0, 30],
    composite: [1, 29, 30],
    compositeOf: [
      [0, 5, 30],
      [1, 0, 7],
      [1, 8, 15],
      [1, 18, 29],
    ],
  },
]

const [digits, letters] = ['digits', 'letters'] as const

/** Fields with a known class. Only these are corrected. */
export const listFieldClasses = (layout: Layout): readonly (readonly [Span, FieldClass])[] => [
  [layout.code, letters],
  [layout.state, letters],
  [layout.names, letters],
  [layout.nationality, letters],
  [layout.birth, digits],
  [layout.birthDigit, digits],
  [layout.sex, letters],
  [layout.expiry, digits],
  [layout.expiryDigit, digits],
  [layout.numberDigit, digits],
  [layout.composite, digits],
  ...(layout.optionalDigit ? [[layout.optionalDigit, digits] as const] : []),
]
