import type { JsonObject } from '../../core/json/values.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import { attachmentText } from '../plan/attachment-text.ts'
import type { LossCounter } from '../plan/losses.ts'
import type { CallItem } from '../plan/plan.ts'
import { imagesIn, resultText } from '../plan/result-parts.ts'
import { callId } from './call-id.ts'

// The parts of a message as the Gemini API has them. Gemini CLI and Qwen Code store the same.

/** Returns a part of a prompt. A file that is elsewhere has no part: the API takes only addresses of its own. */
export function promptPart(part: UserContentPart, place: string, losses: LossCounter): JsonObject {
  if (part.type === 'text') return { text: part.text }
  const { source } = part
  return source.type === 'base64'
    ? dataPart(source.mediaType, source.data)
    : { text: attachmentText(part, place, losses) }
}

/** Returns a result without its images. */
export function responseOf(call: CallItem, response = wordsOf(call)): JsonObject {
  return { id: callId(call), name: call.toolName, response }
}

/** Returns the images of a result. */
export function imageParts({ result }: CallItem): readonly JsonObject[] {
  return imagesIn(result).map(({ mediaType, data }) => dataPart(mediaType, data))
}

function wordsOf({ result }: CallItem): JsonObject {
  return { [result.isError ? 'error' : 'output']: resultText(result) }
}

function dataPart(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType, data } }
}
