import { millrace, user } from '../millrace.js'

export const POST = async () => Response.json(await millrace.notify.stream.createToken({ user_id: user, marks: true }))
