import { asArray, asObject, asString, isString, type JsonObject } from '../../../src/core/json/values.ts'
import { type Dialect, dataFrame, type Tokens, type WireReply, wordsOf } from './dialect.ts'

/** Gemini's `generateContent`. */
export const gemini: Dialect = {
  asks: (path) => /:(?:streamGenerateContent|generateContent)$/.test(path),
  read: (body, path) => {
    const contents = asArray(body.contents).map(asObject)
    const partsOf = (isModel: boolean) =>
      contents
        .filter(({ role }) => (role === 'model') === isModel)
        .flatMap(({ parts }) => asArray(parts))
        .map(asObject)
    const results = partsOf(false).map(({ functionResponse }) => asObject(functionResponse))
    return {
      model: /models\/([^:]+)/.exec(path)?.[1] ?? '',
      streams: path.includes(':stream'),
      users: partsOf(false).flatMap(({ text }) => asString(text) ?? []),
      marks: partsOf(true).flatMap(
        ({ text, functionCall }) => asString(asObject(functionCall).id) ?? asString(text) ?? [],
      ),
      results: results.flatMap(({ id, response }) =>
        isString(id) ? [{ id, text: asString(asObject(response).output) ?? JSON.stringify(response) }] : [],
      ),
      tools: asArray(body.tools).flatMap((tool) =>
        asArray(asObject(tool).functionDeclarations).map((each) => asString(asObject(each).name) ?? ''),
      ),
    }
  },
  stream: function* (reply) {
    const chunk = (part: object) => ({
      frame: dataFrame({ ...head(reply), candidates: [candidate([part])] }),
    })
    if (reply.think !== undefined) yield chunk({ text: reply.think, thought: true })
    for (const word of wordsOf(reply.say)) yield { ...chunk({ text: word }), word }
    for (const part of callParts(reply)) yield chunk(part)
    const last = { ...candidate([{ text: '' }]), finishReason: 'STOP' }
    yield { frame: dataFrame({ ...head(reply), candidates: [last], usageMetadata: usageOf(reply.tokens) }) }
  },
  whole: (reply) => {
    const parts = [...(reply.say === undefined ? [] : [{ text: reply.say }]), ...callParts(reply)]
    const only = { ...candidate(parts), finishReason: 'STOP' }
    return { ...head(reply), candidates: [only], usageMetadata: usageOf(reply.tokens) }
  },
  error: (status, message) => ({
    error: { code: status, message, status: status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL' },
  }),
}

function head({ id, model }: WireReply) {
  return { modelVersion: model, responseId: id }
}

function candidate(parts: readonly object[]) {
  return { index: 0, content: { role: 'model', parts } }
}

function callParts({ calls }: WireReply): readonly JsonObject[] {
  return calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))
}

function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: Tokens) {
  const prompt = input + cacheRead + cacheWrite
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: prompt + output,
  }
}
