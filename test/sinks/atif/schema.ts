/**
 * The rules of ATIF 1.7 as a JSON schema, written from Harbor's description of the format. A field that the format does not have is refused.
 */
const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const

const content = {
  anyOf: [
    text,
    {
      type: 'array',
      items: {
        oneOf: [
          strict({ type: { const: 'text' }, text }, ['type', 'text']),
          strict(
            {
              type: { const: 'image' },
              source: strict(
                { media_type: { enum: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] }, path: text },
                ['media_type', 'path'],
              ),
            },
            ['type', 'source'],
          ),
        ],
      },
    },
  ],
}

const reference = strict({ trajectory_id: text, session_id: text, trajectory_path: text, extra: {} }, [])
const result = strict(
  { source_call_id: text, content, subagent_trajectory_ref: { type: 'array', items: reference }, extra: {} },
  [],
)
const call = strict({ tool_call_id: text, function_name: text, arguments: { type: 'object' }, extra: {} }, [
  'tool_call_id',
  'function_name',
  'arguments',
])
const metrics = strict(
  {
    prompt_tokens: count,
    completion_tokens: count,
    cached_tokens: count,
    cost_usd: { type: 'number' },
    extra: {},
  },
  [],
)

const step = {
  ...strict(
    {
      step_id: { type: 'integer', minimum: 1 },
      timestamp: { type: 'string', format: 'date-time' },
      source: { enum: ['user', 'agent', 'system'] },
      model_name: text,
      message: content,
      reasoning_content: text,
      tool_calls: { type: 'array', items: call },
      observation: strict({ results: { type: 'array', items: result } }, ['results']),
      metrics,
      extra: {},
    },
    ['step_id', 'source', 'message'],
  ),
  // These fields are the model's.
  if: { properties: { source: { const: 'agent' } } },
  // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON schema
  then: {},
  else: {
    not: {
      anyOf: ['model_name', 'reasoning_content', 'tool_calls', 'metrics'].map((name) => ({
        required: [name],
      })),
    },
  },
}

export const ATIF_SCHEMA = {
  $id: 'atif',
  ...strict(
    {
      schema_version: { const: 'ATIF-v1.7' },
      session_id: text,
      trajectory_id: text,
      agent: strict({ name: text, version: text, model_name: text, tool_definitions: {}, extra: {} }, [
        'name',
        'version',
      ]),
      steps: { type: 'array', minItems: 1, items: step },
      notes: text,
      final_metrics: strict(
        {
          total_prompt_tokens: count,
          total_completion_tokens: count,
          total_cached_tokens: count,
          total_cost_usd: { type: 'number' },
          total_steps: count,
          extra: {},
        },
        [],
      ),
      subagent_trajectories: { type: 'array', items: { $ref: 'atif' } },
      continued_trajectory_ref: text,
      extra: {},
    },
    ['schema_version', 'agent', 'steps'],
  ),
}

function strict(properties: Readonly<Record<string, unknown>>, required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false }
}
