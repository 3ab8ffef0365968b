/** The part of the script that `gantry store check` asks for: counts all rows anew and compares them with the books. */
export const INSPECT: string = `
function operations.inspect()
  local found, problems, bytes, ending = {}, {}, 0, 0
  local function wrong(problem) if #problems < 100 then problems[#problems + 1] = problem end end
  local sequence = book('sequence')
  for _, at in ipairs(call('ZRANGE', ORDER, 0, -1)) do
    local table, key = split(at)
    local one = head(at)
    if not one then
      wrong(table .. ' "' .. key .. '" has no row')
    else
      found[table] = found[table] or { rows = 0, expired = 0 }
      found[table].rows = found[table].rows + 1
      if isExpired(one) then found[table].expired = found[table].expired + 1 end
      bytes = bytes + size(at, call('HSTRLEN', VALUES, at))
      if one.version > sequence then wrong(table .. ' "' .. key .. '" has a version of the future') end
      if one.expires ~= 0 then
        ending = ending + 1
        if call('ZSCORE', EXPIRY, at) ~= digits(one.expires) then
          wrong(table .. ' "' .. key .. '" would not expire in time')
        end
      end
    end
  end
  local books = call('HGETALL', META)
  local counted = {}
  for index = 1, #books, 2 do
    local table = string.match(books[index], '^rows:(.*)$')
    if table then
      counted[table] = tonumber(books[index + 1])
      found[table] = found[table] or { rows = 0, expired = 0 }
    end
  end
  for table, counts in pairs(found) do
    if counts.rows ~= (counted[table] or 0) then
      wrong(table .. ' has ' .. counts.rows .. ' rows, but ' .. (counted[table] or 0) .. ' are counted')
    end
    if counts.rows == 0 then found[table] = nil end
  end
  local places = call('ZCARD', ORDER)
  if call('HLEN', HEADS) ~= places or call('HLEN', VALUES) ~= places then
    wrong('some rows are in no order')
  end
  if call('ZCARD', EXPIRY) ~= ending then wrong('some entries of the expiry list have no row') end
  if bytes ~= book('bytes') then
    wrong('rows have ' .. digits(bytes) .. ' bytes, but ' .. digits(book('bytes')) .. ' are counted')
  end
  return { digits(book('bytes')), cjson.encode(found), unpack(problems) }
end
`
