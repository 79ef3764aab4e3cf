import { setTimeout } from 'node:timers/promises'
import type { SessionHub } from 'agentfold/hub'
import { random } from '../random.ts'

type Messages = AsyncIterable<Uint8Array>

/** The faults of a transport, over all its connections. */
export interface Unruliness {
  /** The number of repeated messages. */
  repeats: number
  /** The number of messages that arrived after a later one. */
  delays: number
}

/** Sends some messages twice, and some after the next one. A heartbeat of the hub follows the last one. */
export function unruly(
  hub: SessionHub,
  seed: number,
): { readonly hub: SessionHub; readonly done: Readonly<Unruliness> } {
  const next = random(seed)
  const done = { repeats: 0, delays: 0 }
  const disorder = async function* (messages: Messages) {
    let held: Uint8Array | undefined
    for await (const message of messages) {
      if (!held && isEvent(message) && next() < 0.3) {
        held = message
        continue
      }
      yield message
      if (next() < 0.2) {
        done.repeats += 1
        yield message
      }
      if (held) {
        if (isEvent(message)) done.delays += 1
        yield held
        held = undefined
      }
    }
  }
  return { hub: overTransport(hub, disorder), done }
}

/** The time that a browser has to read what came before a break. It drops what it has not read. In ms. */
const READING_MS = 100

/** Breaks each connection at the first delta after that many events. */
export function cutting(
  hub: SessionHub,
  after: number,
): { readonly hub: SessionHub; readonly done: { readonly cuts: number } } {
  const done = { cuts: 0 }
  const cut = async function* (messages: Messages) {
    let count = 0
    for await (const message of messages) {
      if (isEvent(message)) count += 1
      if (count > after && textOf(message).includes('"block:delta"')) {
        done.cuts += 1
        await setTimeout(READING_MS)
        throw new Error('the connection breaks')
      }
      yield message
    }
  }
  return { hub: overTransport(hub, cut), done }
}

function overTransport(
  hub: SessionHub,
  transport: (messages: Messages) => AsyncGenerator<Uint8Array>,
): SessionHub {
  return {
    ...hub,
    fetch: async (request) => {
      const { body, headers } = await hub.fetch(request)
      return new Response(body && streamOf(transport(messagesIn(body))), { headers })
    },
  }
}

/** Yields an event, a snapshot or a comment at a time. A piece of the stream may have several, or a part of one. */
async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body) {
    const messages = `${text}${decoder.decode(piece, { stream: true })}`.split(/(?<=\n\n)/)
    text = messages.at(-1)?.endsWith('\n\n') ? '' : (messages.pop() ?? '')
    for (const message of messages) yield new TextEncoder().encode(message)
  }
}

/** A stream that reads no message ahead. */
function streamOf(messages: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await messages.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await messages.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}

function isEvent(message: Uint8Array): boolean {
  return textOf(message).startsWith('id: ')
}

function textOf(message: Uint8Array): string {
  return new TextDecoder().decode(message)
}
