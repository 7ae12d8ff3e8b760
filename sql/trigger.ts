/** A trigger by which rows of one area change, or are made from, those of another; the area that owns the effect names it. */
export interface AreaTrigger {
  /** The table, as `area.name`. */
  on: string
  trigger: string
  effect: string
}
