/** Returns the pattern of `like` for texts that contain `text`. */
export const likeText = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
