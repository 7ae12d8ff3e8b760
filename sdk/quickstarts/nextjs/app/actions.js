'use server'

import { setTimeout } from 'node:timers/promises'
import { millrace, user } from './millrace.js'

export async function notify() {
  await millrace.notify.events.create({
    ...{ product_key: 'shop', type: 'order.shipped', subject_user_id: user },
    ...{ title: 'Your order has shipped', body: 'It arrives tomorrow.', url: process.env.SITE_URL },
    ...{ channels: ['in_app', 'push'], push: { app_id: process.env.PUSH_APP_ID } },
  })
}

export async function sendEmail(form) {
  const [stream, from] = ['transactional', { email: process.env.EMAIL_FROM }]
  const content = { subject: 'Welcome', html: '<p>This email was sent by a server action.</p>' }
  await millrace.email.messages.create({ stream, from, to: form.get('to'), ...content })
}

export async function createUploadToken() {
  const limits = { max_bytes: 5_000_000, content_types: ['image/*'], origins: [process.env.SITE_URL] }
  const owner = { product_key: 'shop', tenant_id: user }
  return (await millrace.files.uploadTokens.create({ ...owner, ...limits })).upload_token
}

/** Returns the URL of an image after the malware scan, or undefined if the image is not clean. */
export async function publishAvatar(id) {
  const owner = { tenant_id: user }
  let file = await millrace.files.objects.read(id, owner)
  for (let tries = 0; tries < 20 && ['pending', 'scanning'].includes(file.scan_status); tries++) {
    await setTimeout(500)
    file = await millrace.files.objects.read(id, owner)
  }
  if (file.scan_status !== 'clean') return undefined
  return (await millrace.files.objects.update(id, { visibility: 'public', ...owner })).url
}
