/**
 * Loaded first in a test’s process. Removes the hooks with which tap records each loaded file, in this process and in
 * every Node process that it starts. Only coverage needs them, and they take as long as loading the files.
 */
import { registerHooks } from 'node:module'

const hooks = registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/@tapjs/processinfo/dist/esm/import.mjs')) return next(url, context)
    hooks.deregister()
    return { format: 'module', source: '', shortCircuit: true }
  },
})

const { NODE_OPTIONS } = process.env
if (NODE_OPTIONS) process.env.NODE_OPTIONS = NODE_OPTIONS.replace(/"?--import=\S*@tapjs\/processinfo\S*/, '')
