/** Import this first: searches compare only words, so that they do not wait for a model. */
process.env.AI_MEANING = 'false'
