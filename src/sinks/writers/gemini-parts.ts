import type { JsonObject } from '../../json/values.ts'
import { attachmentText } from '../../plan/attachment-text.ts'
import type { LossCounter } from '../../plan/losses.ts'
import type { CallItem } from '../../plan/plan.ts'
import { imagesIn, resultText } from '../../plan/result-parts.ts'
import type { UserContentPart } from '../../state/content.ts'
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

/** Returns the parts of a result: the words, and then the images. */
export function resultPartsOf(call: CallItem, words = wordsOf(call)): readonly JsonObject[] {
  const { toolName: name, result } = call
  const images = imagesIn(result).map(({ mediaType, data }) => dataPart(mediaType, data))
  return [{ functionResponse: { id: callId(call), name, response: words } }, ...images]
}

function wordsOf({ result }: CallItem): JsonObject {
  return { [result.isError ? 'error' : 'output']: resultText(result) }
}

function dataPart(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType, data } }
}
