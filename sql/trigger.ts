/** A trigger through which rows of one area change or create rows of another. The area with the effect declares it. */
export interface AreaTrigger {
  on: string
  trigger: string
  effect: string
}
