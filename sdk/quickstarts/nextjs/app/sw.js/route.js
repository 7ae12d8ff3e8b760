const code = `importScripts('${process.env.MILLRACE_BASE_URL}/push/v1/worker.js')`

export const GET = () => new Response(code, { headers: { 'content-type': 'text/javascript' } })
