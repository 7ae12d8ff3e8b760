/** A module that fails while it loads, like one whose files are missing. */
export const work = async (given: number): Promise<number> => given
await new Promise((resolve) => setTimeout(resolve, 20))
throw new Error('its files are missing')
