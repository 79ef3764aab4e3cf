import type { Content, Message, ModelResponse } from './messages.ts'

/** Runs an agent against a model API: it calls the model, starts the agents that the model calls, and gives back their answers. */
export async function runAgent(url: string, name: string, prompt: string): Promise<string> {
  const messages: Message[] = [{ role: 'user', content: prompt }]
  for (;;) {
    const { content } = await ask(url, name, messages)
    messages.push({ role: 'assistant', content })
    const results = await Promise.all(content.flatMap((part) => resultOf(url, part)))
    if (results.length === 0) return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    messages.push({ role: 'user', content: results })
  }
}

function resultOf(url: string, part: Content): readonly Promise<Content>[] {
  if (part.type !== 'tool_use') return []
  const { subagent_type: name, prompt } = { subagent_type: '', prompt: '', ...part.input }
  const run = async (): Promise<Content> => ({
    type: 'tool_result',
    tool_use_id: part.id,
    content: await runAgent(url, name, prompt),
  })
  return [run()]
}

async function ask(url: string, name: string, messages: readonly Message[]): Promise<ModelResponse> {
  const body = { model: 'model-1', system: `You are the ${name}.`, tools: [{ name: 'Task' }], messages }
  const response = await fetch(`${url}v1/messages`, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`the gateway answered with ${response.status}`)
  return response.json()
}
