/**
 * Loaded before all else in a test's process: takes away the hooks by which tap records each file that is loaded, in it and in every
 * Node process that it starts. Coverage alone needs them, and they cost as much as loading the files does.
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
