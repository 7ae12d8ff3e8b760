const words: [RegExp, string][] = [
  [/\basync (def|with|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bStopAsyncIteration\b/g, 'StopIteration'],
  [/\b__a(enter|exit|iter)__\b/g, '__$1__'],
  [/\b__anext__\b/g, '__next__'],
  [/\ba(close|read|iter_bytes)\b/g, '$1'],
  // linear enough: at most 500 characters, which are checked from each start position
  [/\bAwaitable\[([^\]]{1,500})\]/g, '$1'],
  [/\bAwaitable, /g, ''],
  [/\bAsyncGenerator\[(\w+), None\]/g, 'Generator[$1, None, None]'],
  [/\bAsync([A-Z]\w+)/g, '$1'],
]

export const synchronous = (text: string): string =>
  `# Made by \`npm run sdk\` from its like in \`_async\`.\n${words.reduce((so, [from, to]) => so.replace(from, to), text)}`
