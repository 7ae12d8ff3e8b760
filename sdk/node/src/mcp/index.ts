export { runStdioServer, type StdioServerOptions } from './stdio.ts'
