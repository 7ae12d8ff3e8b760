import type { Connection } from '../engine.ts'
import type { CallbackReader } from './callback.ts'
import { httpCallback } from './http-callback.ts'
import { twilioCallback } from './twilio-callback.ts'
import { vonageCallback } from './vonage-callback.ts'

const readers = { twilio: twilioCallback, vonage: vonageCallback, http: httpCallback }

export const getCallbackReader = (connection: Connection): CallbackReader => readers[connection.kind](connection)
