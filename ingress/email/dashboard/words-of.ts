/** Words between commas, each once. */
export const wordsOf = (text: string): string[] => [...new Set(text.split(',').flatMap((word) => word.trim() || []))]
