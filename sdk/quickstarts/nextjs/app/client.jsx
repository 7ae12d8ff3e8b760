'use client'

import { Millrace } from 'millrace'
import { imageLoader } from 'millrace/next-image'
import Image from 'next/image'
import { useState } from 'react'
import { createUploadToken, publishAvatar } from './actions.js'

export function Avatar({ baseUrl }) {
  const [url, setUrl] = useState()
  const upload = async ({ target: { files } }) => {
    const [token, file] = [await createUploadToken(), files[0]]
    const { object_id } = await new Millrace({ baseUrl }).uploadFile(file, { token, content_type: file.type })
    setUrl(await publishAvatar(object_id))
  }
  return (
    <label>
      Avatar <input type="file" accept="image/*" onChange={upload} />
      {url && <Image loader={imageLoader} src={url} alt="Your avatar" width={96} height={96} />}
    </label>
  )
}

export function Subscribe({ baseUrl, publicKey, userToken }) {
  const [state, setState] = useState('Subscribe to push messages')
  const subscribe = async () => {
    const { connect } = await import(/* turbopackIgnore: true */ `${baseUrl}/push/v1/client.js`)
    const subscribed = connect({ key: publicKey, worker: '/sw.js' }).subscribe({ userToken })
    setState(await subscribed.then(() => 'Subscribed').catch(({ message }) => message))
  }
  return (
    <button type="button" onClick={subscribe}>
      {state}
    </button>
  )
}
