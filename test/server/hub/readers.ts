import type { SessionHub } from '../../../src/entries/hub.ts'
import type { SessionEvent } from '../../../src/entries/index.ts'

export function text(at: number, content = 'x'): SessionEvent {
  return {
    type: 'block:upsert',
    block: { id: `b${at}`, type: 'assistant_text', status: 'complete', content },
  }
}

/** A reader of a hub's stream, piece by piece. */
export interface Reader {
  read(): Promise<string>
  cancel(): Promise<void>
}

export async function open(hub: SessionHub, path: string): Promise<Reader> {
  const { body } = await hub.fetch(new Request(`http://hub.example/${path}`))
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  return {
    read: async () => decoder.decode((await reader?.read())?.value, { stream: true }),
    cancel: async () => reader?.cancel(),
  }
}

/** Reads each stream up to the text, and returns what came. */
export function concatenated(readers: readonly Reader[], end: string): Promise<readonly string[]> {
  return Promise.all(
    readers.map(async (reader) => {
      const pieces: string[] = []
      do pieces.push(await reader.read())
      while (!pieces.at(-1)?.includes(end))
      return pieces.join('')
    }),
  )
}
