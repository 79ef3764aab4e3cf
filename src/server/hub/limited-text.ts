/**
 * Returns the text of a request, or undefined if it has more bytes. It reads no more than that. Of a body that breaks off
 * it returns what came.
 */
export async function limitedText(request: Request, mostBytes: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length')) > mostBytes) return undefined
  const reader = request.body?.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  while (reader) {
    // Half of a JSON text is none, so the caller refuses it.
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const)
    if (done) break
    bytes += value.length
    if (bytes > mostBytes) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}
