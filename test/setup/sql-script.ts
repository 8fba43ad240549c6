/** Executes what `holdfast schema` prints, at a database that is named as the command line names it. */
export async function execute(url: string, sql: string): Promise<void> {
  if (url.startsWith('postgres:')) {
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(sql).finally(() => client.end())
    return
  }
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({
    uri: url.replace('mariadb:', 'mysql:'),
    multipleStatements: true,
  })
  await connection.query(sql).finally(() => connection.end())
}
