import type { JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { StreamLine } from '../../../programs/reader.ts'
import { programStreams } from '../../../programs/readers.ts'
import { endAllInBackground } from '../agents/run.ts'
import { completeText } from '../blocks/text.ts'
import type { AcpContext } from '../context.ts'
import { translateOwnMessage } from './own-message.ts'
import { translateUpdate } from './translate-update.ts'

type OwnLine = Extract<StreamLine, { readonly own: unknown }>

const STREAMS = /* @__PURE__ */ programStreams()

/** Whether the value proves that it is a line of a program's own stream. */
export function isProofOfStream(value: JsonObject): boolean {
  return STREAMS.some(([, { isProof }]) => isProof(value))
}

/** Translates a line of a program's own stream; returns false for any other value. It names no session and no agent, so all its lines are main's. */
export function translateLine(value: JsonObject, context: AcpContext): boolean {
  for (const [program, { read }] of STREAMS) {
    const line = read(value)
    if (!line) continue
    context.addMissingFacts({ program })
    if ('update' in line) translateUpdate({ sessionId: '', conversationId: MAIN, ...line }, context)
    else translateOwn(line, context)
    return true
  }
  return false
}

function translateOwn({ own, sessionId: id }: OwnLine, context: AcpContext): void {
  context.addMissingFacts({ id })
  if (own.type === 'response') {
    context.noteWork(MAIN)
    // The tokens of a response come after its text. The next text is that of another response.
    completeText(MAIN, context)
  }
  translateOwnMessage(MAIN, own, context)
  // The program ends with its stream, and so do its agents.
  if (own.type === 'turn-ended')
    endAllInBackground(own.outcome === 'finished' ? 'completed' : 'error', context)
}
