import { z } from 'zod'
import type { Template } from './http-template.ts'

/** Settings and secrets of connections, as they are stored. The API checks more (ingress/sms/provider-form.ts). */

export const TwilioSettings = z.object({ account_sid: z.string(), messaging_service_sid: z.string().optional() })

export const TwilioSecrets = z.object({ auth_token: z.string() })

export const VonageSettings = z.object({ api_key: z.string(), application_id: z.string().optional() })

export const VonageSecrets = z.object({
  api_secret: z.string().optional(),
  private_key: z.string().optional(),
  signature_secret: z.string(),
})

const ReportedStatus = z.enum(['sent', 'delivered', 'undelivered', 'failed'])

export const HttpCallback = z.object({
  signature_header: z.string(),
  id_path: z.string().optional(),
  status_path: z.string().optional(),
  error_path: z.string().optional(),
  statuses: z.record(z.string(), ReportedStatus),
  from_path: z.string().optional(),
  to_path: z.string().optional(),
  text_path: z.string().optional(),
})

export const HttpSettings = z.object({
  url: z.string(),
  method: z.enum(['POST', 'PUT']),
  format: z.enum(['json', 'form']),
  body: z.record(
    z.string(),
    z.custom<Template>(() => true),
  ),
  id_path: z.string().optional(),
  callback: HttpCallback.optional(),
})

export const HttpSecrets = z.object({
  headers: z.record(z.string(), z.string()),
  callback_secret: z.string().optional(),
})
