import { asArray, asObject, asString, type JsonObject } from '../../../core/json/values.ts'

/**
 * Returns the stored messages of a session with ids of messages and parts that occur once. OpenCode's own ids do, but a tool that
 * hides secrets may write one word for many ids. The second message or part with an id gets `<id>:2`, and so on. A call id that
 * a message or part has too is left out, because blocks have these ids.
 */
export function withUniqueIds(messages: readonly unknown[]): readonly JsonObject[] {
  const ids = new UniqueIds()
  const renamed = messages.map(asObject).map((message) => {
    const info = withUniqueId(asObject(message.info), ids)
    const parts = asArray(message.parts).map((part) => {
      const unique = withUniqueId(asObject(part), ids)
      return unique.messageID === info.id ? unique : { ...unique, messageID: info.id }
    })
    return { ...message, info, parts }
  })
  return renamed.map((message) => ({
    ...message,
    parts: message.parts.map((part) => withoutEqualCallId(part, ids)),
  }))
}

function withoutEqualCallId(part: JsonObject, ids: UniqueIds): JsonObject {
  const { callID, ...others } = part
  return ids.has(asString(callID)) ? others : part
}

function withUniqueId(item: JsonObject, ids: UniqueIds): JsonObject {
  const id = asString(item.id)
  const unique = id === undefined ? undefined : ids.claim(id)
  return unique === id ? item : { ...item, id: unique }
}

class UniqueIds {
  readonly #counts = new Map<string, number>()

  /** Returns the id when it occurs first, and the id with its number later. */
  claim(id: string): string {
    const count = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, count)
    if (count === 1) return id
    const numbered = `${id}:${count}`
    return this.#counts.has(numbered) ? this.claim(id) : this.claim(numbered)
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#counts.has(id)
  }
}
