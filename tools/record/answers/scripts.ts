/** An answer that a model server streams: server-sent events, with names where the API has them. */
export interface AnswerScript {
  readonly api: 'messages' | 'chat-completions' | 'responses'
  readonly name: string
  readonly events: readonly (string | Readonly<Record<string, unknown>>)[]
  /** The server ends the connection after that many events. */
  readonly breaksAfter?: number
}

/** Cuts a text as a model's tokens do. */
const pieces = (text: string): readonly string[] => text.match(/.{1,7}/gsu) ?? []

const start = (usage: object) => ({
  type: 'message_start',
  message: {
    id: 'msg_0001',
    type: 'message',
    role: 'assistant',
    model: 'claude-scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
})

const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]

const textDeltas = (text: string) => pieces(text).map((each) => ({ type: 'text_delta', text: each }))
const inputDeltas = (input: unknown) =>
  ['', ...pieces(JSON.stringify(input))].map((partial_json) => ({ type: 'input_json_delta', partial_json }))

const messageEnd = (stop_reason: string, usage: object) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
]

const MESSAGES_TOOLS = [
  start({ input_tokens: 25, cache_creation_input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 1 }),
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    ...pieces('Which file is it? 🧭').map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
  ),
  { type: 'ping' },
  ...block(1, { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }),
  ...block(2, { type: 'text', text: '' }, ...textDeltas('I read it, „schön“ — and start an agent.\n')),
  ...block(
    3,
    { type: 'tool_use', id: 'toolu_01', name: 'Read', input: {} },
    ...inputDeltas({ path: 'ä "quoted"/b.ts', lines: [1, 20], deep: { a: null } }),
  ),
  ...block(
    4,
    { type: 'tool_use', id: 'toolu_02', name: 'Task', input: {} },
    ...inputDeltas({ subagent_type: 'reader', prompt: 'Read the log.' }),
  ),
  ...block(5, { type: 'tool_use', id: 'toolu_03', name: 'Now', input: {} }, ...inputDeltas({}).slice(0, 1)),
  ...messageEnd('tool_use', { output_tokens: 212 }),
]

const MESSAGES_SEARCH = [
  start({ input_tokens: 40, output_tokens: 2 }),
  ...block(
    0,
    { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: {} },
    ...inputDeltas({ query: 'agentfold' }),
  ),
  ...block(1, {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_01',
    content: [
      {
        type: 'web_search_result',
        title: 'A page',
        url: 'https://example.org/',
        encrypted_content: 'ZW5j',
        page_age: null,
      },
    ],
  }),
  ...block(
    2,
    { type: 'text', text: '', citations: [] },
    {
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        cited_text: 'folds',
        url: 'https://example.org/',
        title: 'A page',
        encrypted_index: 'aW5k',
      },
    },
    ...textDeltas('It folds sessions.'),
  ),
  ...messageEnd('end_turn', {
    input_tokens: 4000,
    output_tokens: 30,
    server_tool_use: { web_search_requests: 1 },
  }),
]

const chat = (delta: object, finish_reason: string | null = null, index = 0) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-scripted',
  service_tier: 'default',
  system_fingerprint: 'fp_1',
  choices: [{ index, delta, logprobs: null, finish_reason }],
  usage: null,
  obfuscation: 'x1',
})

const CHAT_USAGE = {
  ...chat({}),
  choices: [],
  usage: {
    prompt_tokens: 20,
    completion_tokens: 30,
    total_tokens: 50,
    prompt_tokens_details: { cached_tokens: 5 },
  },
}

const called = (index: number, fields: object) => chat({ tool_calls: [{ index, ...fields }] })
const callDeltas = (index: number, id: string, name: string, input: unknown) => [
  called(index, { id, type: 'function', function: { name, arguments: '' } }),
  ...pieces(JSON.stringify(input)).map((part) => called(index, { function: { arguments: part } })),
]

const CHAT_TOOLS = [
  chat({ role: 'assistant', content: '', refusal: null }),
  ...pieces('I read it, „schön“. 🧭').map((content) => chat({ content })),
  ...callDeltas(0, 'call_01', 'read', { path: 'a "b".ts' }),
  ...callDeltas(1, 'call_02', 'task', { prompt: 'Read the log.' }),
  chat({}, 'tool_calls'),
  CHAT_USAGE,
  '[DONE]',
]

const CHAT_CALL_ALONE = [
  chat({
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: 'call_01', type: 'function', function: { name: 'now', arguments: '' } }],
    refusal: null,
  }),
  called(0, { function: { arguments: '{}' } }),
  chat({}, 'tool_calls'),
  CHAT_USAGE,
  '[DONE]',
]

const CHAT_REFUSAL = [
  chat({ role: 'assistant', content: null, refusal: '' }),
  ...pieces('I cannot help with that.').map((refusal) => chat({ refusal })),
  chat({}, 'stop'),
  CHAT_USAGE,
  '[DONE]',
]

const CHAT_CHOICES = [
  chat({ role: 'assistant', content: '', refusal: null }),
  chat({ role: 'assistant', content: '', refusal: null }, null, 1),
  chat({ content: 'The other.' }, null, 1),
  chat({ content: 'The first.' }),
  chat({}, 'stop', 1),
  chat({}, 'stop'),
  CHAT_USAGE,
  '[DONE]',
]

const response = (status: string, output: readonly object[] = [], fields: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'gpt-scripted',
  output,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: null,
  metadata: {},
  ...fields,
})

const RESPONSES_USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 7 },
  total_tokens: 50,
}

const text = (words: string) => ({ type: 'output_text', annotations: [], logprobs: [], text: words })
const messageItem = (status: string, content: readonly object[]) => ({
  id: 'msg_1',
  type: 'message',
  status,
  role: 'assistant',
  content,
})

const messageEvents = (output_index: number, words: string, annotation: object) => {
  const at = { item_id: 'msg_1', output_index, content_index: 0 }
  const whole = { ...text(words), annotations: [annotation] }
  const item = messageItem('completed', [whole])
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: messageItem('in_progress', []) },
      { type: 'response.content_part.added', ...at, part: text('') },
      ...pieces(words).map((delta) => ({
        type: 'response.output_text.delta',
        ...at,
        delta,
        logprobs: [],
        obfuscation: 'x1',
      })),
      { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation },
      { type: 'response.output_text.done', ...at, text: words, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: whole },
      { type: 'response.output_item.done', output_index, item },
    ],
  }
}

const callEvents = (output_index: number, call_id: string, name: string, input: unknown) => {
  const json = JSON.stringify(input)
  const item_id = `fc_${output_index}`
  const begun = { id: item_id, type: 'function_call', status: 'in_progress', arguments: '', call_id, name }
  const item = { ...begun, status: 'completed', arguments: json }
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: begun },
      ...pieces(json).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        item_id,
        output_index,
        delta,
        obfuscation: 'x1',
      })),
      { type: 'response.function_call_arguments.done', item_id, output_index, arguments: json },
      { type: 'response.output_item.done', output_index, item },
    ],
  }
}

const reasoningEvents = (output_index: number, words: string) => {
  const at = { item_id: 'rs_1', output_index, summary_index: 0 }
  const begun = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'YmVn' }
  const part = { type: 'summary_text', text: words }
  const item = { ...begun, summary: [part], encrypted_content: 'd2hvbGU=' }
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: begun },
      { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
      ...pieces(words).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text: words },
      { type: 'response.reasoning_summary_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ],
  }
}

const begin = [
  { type: 'response.created', response: response('in_progress') },
  { type: 'response.in_progress', response: response('in_progress') },
]

const REASONED = reasoningEvents(0, '**Look** for the file 🧭')
const SAID = messageEvents(1, 'I read it, „schön“.\n', {
  type: 'url_citation',
  url: 'https://example.org/',
  title: 'A page',
  start_index: 0,
  end_index: 6,
})
const CALLED = callEvents(2, 'call_01', 'shell', { command: ['ls', '"a b"'] })
const CALLED_TOO = callEvents(3, 'call_02', 'spawn_agent', { message: 'Read the log.' })
const OUTPUT: readonly { readonly item: object; readonly events: readonly object[] }[] = [
  REASONED,
  SAID,
  CALLED,
  CALLED_TOO,
]
const RESPONSES_TOOLS = numbered([
  ...begin,
  ...OUTPUT.flatMap(({ events }) => events),
  {
    type: 'response.completed',
    response: response(
      'completed',
      OUTPUT.map(({ item }) => item),
      { usage: RESPONSES_USAGE },
    ),
  },
])

const RESPONSES_REFUSAL = numbered([
  ...begin,
  { type: 'response.output_item.added', output_index: 0, item: messageItem('in_progress', []) },
  {
    type: 'response.content_part.added',
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    part: { type: 'refusal', refusal: '' },
  },
  ...pieces('I cannot help with that.').map((delta) => ({
    type: 'response.refusal.delta',
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta,
  })),
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: messageItem('completed', [{ type: 'refusal', refusal: 'I cannot help with that.' }]),
  },
  {
    type: 'response.completed',
    response: response(
      'completed',
      [messageItem('completed', [{ type: 'refusal', refusal: 'I cannot help with that.' }])],
      {
        usage: RESPONSES_USAGE,
      },
    ),
  },
])

/** The answer reaches the most tokens. */
const SHORT = messageItem('incomplete', [text('I read')])
/** The kinds of items that a stream may break off in. */
const RESPONSES_REASONING = numbered([
  ...begin,
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { id: 'rs_1', type: 'reasoning', summary: [] },
  },
  {
    ...{ type: 'response.content_part.added', item_id: 'rs_1', output_index: 0, content_index: 0 },
    part: { type: 'reasoning_text', text: '' },
  },
  ...pieces('The file is in the folder.').map((delta) => ({
    ...{ type: 'response.reasoning_text.delta', item_id: 'rs_1', output_index: 0, content_index: 0, delta },
  })),
  {
    ...{ type: 'response.output_item.added', output_index: 1 },
    item: { id: 'ct_1', type: 'custom_tool_call', call_id: 'call_03', name: 'apply', input: '' },
  },
  ...pieces('*** Begin Patch').map((delta) => ({
    ...{ type: 'response.custom_tool_call_input.delta', item_id: 'ct_1', output_index: 1, delta },
  })),
  {
    ...{ type: 'response.output_item.added', output_index: 2 },
    item: { id: 'mcp_1', type: 'mcp_call', server_label: 'docs', name: 'find', arguments: '' },
  },
  ...pieces('{"query": "tea"}').map((delta) => ({
    ...{ type: 'response.mcp_call_arguments.delta', item_id: 'mcp_1', output_index: 2, delta },
  })),
  {
    ...{ type: 'response.output_item.added', output_index: 3 },
    item: { id: 'ci_1', type: 'code_interpreter_call', status: 'in_progress', container_id: 'c', code: null },
  },
  ...pieces('print(1 + 1)').map((delta) => ({
    ...{ type: 'response.code_interpreter_call_code.delta', item_id: 'ci_1', output_index: 3, delta },
  })),
])

const RESPONSES_INCOMPLETE = numbered([
  ...begin,
  ...messageEvents(0, 'I read', {}).events.slice(0, 3),
  { type: 'response.output_item.done', output_index: 0, item: SHORT },
  {
    type: 'response.incomplete',
    response: response('incomplete', [SHORT], {
      incomplete_details: { reason: 'max_output_tokens' },
      usage: RESPONSES_USAGE,
    }),
  },
])

function numbered(events: readonly object[]): readonly Readonly<Record<string, unknown>>[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

/** Returns the number of events up to the n-th with that word in it. */
function within(events: AnswerScript['events'], word: string, nth: number): number {
  const found = events.flatMap((event, at) => (JSON.stringify(event).includes(word) ? [at + 1] : []))
  return found[nth - 1] ?? 0
}

/** A stream breaks within a text, and within a call. */
export const SCRIPTS: readonly AnswerScript[] = [
  { api: 'messages', name: 'tools', events: MESSAGES_TOOLS },
  { api: 'messages', name: 'search', events: MESSAGES_SEARCH },
  {
    api: 'messages',
    name: 'broken-text',
    events: MESSAGES_TOOLS,
    breaksAfter: within(MESSAGES_TOOLS, 'text_delta', 2),
  },
  {
    api: 'messages',
    name: 'broken-call',
    events: MESSAGES_TOOLS,
    breaksAfter: within(MESSAGES_TOOLS, 'input_json_delta', 6),
  },
  { api: 'chat-completions', name: 'tools', events: CHAT_TOOLS },
  { api: 'chat-completions', name: 'call-alone', events: CHAT_CALL_ALONE },
  { api: 'chat-completions', name: 'refusal', events: CHAT_REFUSAL },
  { api: 'chat-completions', name: 'choices', events: CHAT_CHOICES },
  {
    api: 'chat-completions',
    name: 'broken-text',
    events: CHAT_TOOLS,
    breaksAfter: within(CHAT_TOOLS, 'content', 3),
  },
  {
    api: 'chat-completions',
    name: 'broken-call',
    events: CHAT_TOOLS,
    breaksAfter: within(CHAT_TOOLS, 'arguments', 3),
  },
  { api: 'responses', name: 'tools', events: RESPONSES_TOOLS },
  { api: 'responses', name: 'refusal', events: RESPONSES_REFUSAL },
  { api: 'responses', name: 'incomplete', events: RESPONSES_INCOMPLETE },
  {
    api: 'responses',
    name: 'broken-text',
    events: RESPONSES_TOOLS,
    breaksAfter: within(RESPONSES_TOOLS, 'output_text.delta', 2),
  },
  {
    api: 'responses',
    name: 'broken-call',
    events: RESPONSES_TOOLS,
    breaksAfter: within(RESPONSES_TOOLS, 'arguments.delta', 2),
  },
  {
    api: 'responses',
    name: 'broken-summary',
    events: RESPONSES_TOOLS,
    breaksAfter: within(RESPONSES_TOOLS, 'summary_text.delta', 2),
  },
  {
    api: 'responses',
    name: 'broken-refusal',
    events: RESPONSES_REFUSAL,
    breaksAfter: within(RESPONSES_REFUSAL, 'refusal.delta', 2),
  },
  {
    api: 'responses',
    name: 'broken-reasoning',
    events: RESPONSES_REASONING,
    breaksAfter: RESPONSES_REASONING.length,
  },
]
