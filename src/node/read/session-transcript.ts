import type { CombinedTranscript } from '../../reading/input/combined.ts'
import { combineFiles } from '../../reading/input/transcript-files.ts'
import type { Transcript } from '../../reading/input/transcripts.ts'
import { readChunks } from '../files/read-piece.ts'
import { findSession, pathsOf } from './find-session.ts'
import { readStoredSession } from './stored-session.ts'

/** Reads the texts of a session and its subagents: from files, from a folder with one session, or from a program's own storage. */
export async function readSessionTranscript(path: string): Promise<CombinedTranscript> {
  const stored = await readStoredSession(path)
  if (stored) return combine(stored.transcripts)
  const { transcripts } = await findSession(path)
  const texts: [path: string, text: string][] = []
  for (const each of transcripts.flatMap(pathsOf)) texts.push([each, await textIn(readChunks(each))])
  return combineFiles(Object.fromEntries(texts), () => transcripts)
}

/** Returns the whole text of a file or a pipe. */
export async function textIn(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks)
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

function combine([main, ...agents]: readonly [Transcript, ...Transcript[]]): CombinedTranscript {
  return {
    main: textOf(main),
    subagents: agents.map(({ id = '', ...agent }) => ({
      id,
      transcript: textOf(agent),
      ...(agent.facts && { meta: JSON.stringify(agent.facts.value) }),
    })),
  }
}

function textOf({ content }: Transcript): string {
  return 'lines' in content ? content.lines : JSON.stringify(content.value)
}
