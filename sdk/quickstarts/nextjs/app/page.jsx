import { MillInbox, MillPlayer } from 'millrace/react'
import { notify, sendEmail } from './actions.js'
import { Avatar, Subscribe } from './client.jsx'
import { millrace, user } from './millrace.js'

export const dynamic = 'force-dynamic'

export default async function Page() {
  const { MILLRACE_BASE_URL: baseUrl, PUSH_APP_ID, PUSH_PUBLIC_KEY, VIDEO_ID } = process.env
  const video = await millrace.video.playbackSessions.mint(VIDEO_ID, { viewerId: user })
  const push = await millrace.push.userTokens.create({ app_id: PUSH_APP_ID, user_id: user, expires_in: 3600 })
  return (
    <main>
      <MillInbox baseUrl={baseUrl} tokenUrl="/inbox-token" />
      <Avatar baseUrl={baseUrl} />
      <Subscribe baseUrl={baseUrl} publicKey={PUSH_PUBLIC_KEY} userToken={push.token} />
      <form action={sendEmail}>
        <input name="to" type="email" aria-label="Email address" required />
        <button type="submit">Send an email</button>
        <button type="submit" formAction={notify} formNoValidate>
          Notify me
        </button>
      </form>
      <MillPlayer baseUrl={baseUrl} token={video.token} title="My video" />
    </main>
  )
}
