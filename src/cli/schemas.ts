/** The SQL that creates what Holdfast needs, by database. */
export const schemas = {
  postgres: async () => (await import('../postgres/index.js')).postgresSchema(),
  mysql: async () => {
    const [{ mysqlSchema }, { mysqlNamesSchema }] = await Promise.all([
      import('../mysql/index.js'),
      import('../transactions/index.js'),
    ])
    return [mysqlSchema(), mysqlNamesSchema()].join(';\n\n')
  },
} as const
