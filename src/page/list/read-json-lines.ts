import { showDirections } from '../../redaction/printable.ts'

/** Calls the function with each line of JSON. The page and its server are of one version. Rejects if the server does not answer. */
export async function readJsonLines<Line>(
  url: string,
  signal: AbortSignal,
  onLine: (line: Line) => void,
): Promise<void> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(JSON.parse(showDirections(line)))
  }
}
