#!/usr/bin/env node
/** `millrace-mcp`: serves the Model Context Protocol on standard input and output. */
import { runStdioServer } from './stdio.ts'

runStdioServer().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`millrace-mcp: ${error.message}\n`)
    process.exit(1)
  },
)
