// Uploads several files of a form, two at the same time. Each file has its own progress, error and retry.
import { Pausing } from './pausing.js'
import { begin, canPause, megabytes, send } from './send-file.js'
import { Refused } from './transfer.js'

const mostAtOnce = 2

/** Fields that name one file. They are not sent for several files. */
const ofOneFile = ['title']

class Upload {
  #form
  #file
  #done
  #pausing = this.#newPausing()
  #gone = 0
  state = 'waiting'

  /** @param {{ form: any, file: File, item: any, done: () => void }} given */
  constructor({ form, file, item, done }) {
    this.#form = form
    this.#file = file
    this.#done = done
    this.item = item
    item.querySelector('.upload-name').textContent = file.name
    item.querySelector('progress').setAttribute('aria-label', `Upload progress of ${file.name}`)
    for (const button of item.querySelectorAll('button')) {
      const words = document.createElement('span')
      words.className = 'unseen'
      words.textContent = ` ${file.name}`
      button.append(words)
    }
    item.querySelector('[data-do=pause]').addEventListener('click', () => this.#pausing.toggle())
    item.querySelector('[data-do=stop]').addEventListener('click', () => this.#stop())
    item.querySelector('[data-do=retry]').addEventListener('click', () => this.#again())
    this.#show('waiting', `Waiting, ${megabytes(file.size)}`)
  }

  async run() {
    if (this.state !== 'waiting') return
    this.#show('sending', 'Starting…')
    try {
      const { session, page, signedOut } = await begin(this.#form, this.#file, ofOneFile)
      if (signedOut) throw new Refused('Your session has ended. Sign in and try again.')
      if (!session) throw new Refused(faultOf(page))
      if (this.#pausing.isStopped) throw new Error('Stopped.')
      const { to, ...rest } = JSON.parse(session)
      this.item.querySelector('[data-do=pause]').hidden = !canPause(rest)
      const control = this.#control()
      await this.#pausing.run((signal) => send(this.#file, rest, { ...control, signal }))
      const link = this.item.querySelector('a')
      link.href = to
      link.hidden = false
      this.#show('done', `Uploaded, ${megabytes(this.#file.size)}`)
    } catch (error) {
      if (this.#pausing.isStopped) this.#show('failed', 'Stopped.')
      else this.#show('failed', error instanceof Refused ? error.message : 'The server could not be reached.')
    }
  }

  #control() {
    const { size } = this.#file
    let isAway = false
    const show = () => {
      const gone = this.#gone
      this.item.querySelector('progress').value = size === 0 ? 100 : Math.floor((gone / size) * 100)
      const lost = 'Connection lost. The upload resumes when the connection is restored.'
      this.#show('sending', isAway ? lost : `${megabytes(gone)} of ${megabytes(size)}`)
    }
    return {
      waiting: (now) => {
        isAway = now
        show()
      },
      progress: (bytes) => {
        this.#gone = bytes
        show()
      },
    }
  }

  #newPausing() {
    return new Pausing(() => {
      const { isPaused } = this.#pausing
      this.item.querySelector('[data-do=pause]').firstChild.textContent = isPaused ? 'Resume' : 'Pause'
      if (isPaused) this.#show('sending', `Paused at ${megabytes(this.#gone)} of ${megabytes(this.#file.size)}`)
    })
  }

  #stop() {
    this.#pausing.stop()
    if (this.state === 'waiting') this.#show('failed', 'Stopped.')
  }

  #again() {
    this.#pausing = this.#newPausing()
    this.#show('waiting', 'Waiting')
    this.#done()
  }

  #show(state, words) {
    this.state = state
    this.item.dataset.state = state
    this.item.querySelector('.upload-state').textContent = words
    this.item.querySelector('progress').hidden = state !== 'sending'
    if (state !== 'sending') this.item.querySelector('[data-do=pause]').hidden = true
    this.item.querySelector('[data-do=stop]').hidden = state !== 'waiting' && state !== 'sending'
    this.item.querySelector('[data-do=retry]').hidden = state !== 'failed'
  }
}

/** Returns why the server rejected an upload, from the form that it shows again. */
function faultOf(page) {
  const own = [...page.querySelectorAll('.field .fault')].map(({ textContent }) => textContent)
  return own.join(' ') || page.querySelector('.fault[role=alert]')?.textContent || 'The upload could not be started.'
}

export async function uploadAll(form, files) {
  const area = form.querySelector('.uploads')
  const template = form.querySelector('template')
  for (const field of form.querySelectorAll('.field, .start')) field.hidden = true
  area.hidden = false
  const all = []
  let running = 0
  const tell = () => {
    const count = (state) => all.filter((one) => one.state === state).length
    const failed = count('failed')
    area.querySelector('[role=status]').textContent =
      `${count('done')} of ${all.length} files uploaded${failed > 0 ? `, ${failed} failed` : ''}.`
  }
  const leaving = (event) => running > 0 && event.preventDefault()
  addEventListener('beforeunload', leaving)
  const next = () => {
    tell()
    while (running < mostAtOnce) {
      const one = all.find(({ state }) => state === 'waiting')
      if (!one) return
      running++
      void one.run().finally(() => {
        running--
        next()
      })
    }
  }
  for (const file of files) {
    const item = template.content.firstElementChild.cloneNode(true)
    area.querySelector('ul').append(item)
    all.push(new Upload({ form, file, item, done: next }))
  }
  next()
}
