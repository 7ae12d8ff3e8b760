/**
 * A trigger with which rows of one area change or create rows of another area. The area whose rows change declares the
 * trigger.
 */
export interface AreaTrigger {
  on: string
  trigger: string
  effect: string
}
