/** Import this first: the workers of this process have a fallback for `default`. */
process.env.AI_FALLBACKS = JSON.stringify({ default: ['gpt-4o'] })
