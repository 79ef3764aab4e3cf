/**
 * A program that stands for Claude Code. It asks, and ends when the person allows it. After a refusal it asks again, and
 * is killed while it waits. Run it with `node -e`.
 */
export const PROGRAM = `
const say = (message) => process.stdout.write(JSON.stringify({ session_id: 's', ...message }) + '\\n')
const model = (id, content) => say({ type: 'assistant', uuid: id, message: { id, role: 'assistant', model: 'm', content: [content], usage: { input_tokens: 1000000, output_tokens: 0 } } })
const ask = (number) => {
  const call = { name: 'Bash', input: { command: 'step ' + number } }
  model('m' + number, { type: 'tool_use', id: 'call_' + number, ...call })
  say({ type: 'control_request', request_id: 'r' + number, request: { subtype: 'can_use_tool', tool_name: call.name, input: call.input, tool_use_id: 'call_' + number } })
}
const result = (number) => say({ type: 'user', uuid: 'u' + number, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_' + number, content: 'files' }] } })
say({ type: 'system', subtype: 'init', apiKeySource: 'none', tools: ['Bash'], model: 'm', cwd: '/', uuid: 'u' })
ask(1)
process.stdin.once('data', (line) => {
  const { behavior } = JSON.parse(line).response.response
  result(1)
  if (behavior === 'deny') {
    ask(2)
    return setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500)
  }
  model('m3', { type: 'text', text: 'It was ' + behavior })
  say({ type: 'result', subtype: 'success', uuid: 'u3', is_error: false, result: 'ok', duration_ms: 1, num_turns: 1 })
  process.exit(0)
})`
