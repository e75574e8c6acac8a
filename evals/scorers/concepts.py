"""Words of two languages for one thing, so that a Chinese summary can be held against an English rule."""

from __future__ import annotations

import re
from functools import lru_cache

_GROUPS = """
thread threads threading threaded multithreading multi-threading multithreaded 线程 多线程
process processes multiprocessing multi-processing 进程 多进程
thread-pool threadpoolexecutor pool pools 线程池 进程池 池
single-threaded single-thread one-thread 单线程
goroutine goroutines go-statement go-statements go-func 协程
sequential sequentially serial 顺序 串行
lock locks locking mutex mutexes rwlock 锁 互斥锁 读写锁
global process-wide static lazy_static oncelock lazylock singleton 全局 进程级 静态 单例
actor actors 参与者
message messages channel channels mpsc 消息 通道
timeout timeouts 超时
second seconds sec 秒
minute minutes 分钟
upload uploads uploaded 上传
page-size page-limit per-page 每页 分页大小 页大小
endpoint endpoints 接口 端点
list lists listing 列表
retry retries retried retrying try-again tried-again 重试
attempt attempts 次数 尝试
charge charges charging 扣款 收款 支付 付款
payment payments 支付 付款
idempotency-key idempotency idempotent 幂等键 幂等
sleep sleeps sleeping time.sleep asyncio.sleep 睡眠 休眠 等待
test tests testing 测试 单测 用例
fake-clock clock 假时钟 时钟
float floats floating-point floating 浮点 浮点数
decimal 十进制
money amount amounts currency price 金额 钱 货币
cache caches caching cached 缓存
lru in-process-lru 进程内
redis
memcached
refund refunds 退款
key keys 主键 键
serial identity auto_increment auto-increment autoincrement 自增 自增主键
table tables 表 新表
migration migrations 迁移
dependency dependencies licence licences license licenses 依赖 第三方包 许可证
library libraries 库
html 网页
regex regexes regexp regular-expression regular-expressions 正则 正则表达式
parse parses parsing parsed parser 解析 解析器
exception exceptions throwable 异常
catch catches catching except excepts catch-all handler handlers 捕获
email emails e-mail e-mails mail 邮箱 邮件
token tokens 令牌
log logs logging logged 日志
push pushes pushed pushing 推 推送
main master 主干 主分支
branch branches 分支
pull-request pull-requests pr prs 合并请求
generated generate regenerate 生成
heap malloc calloc realloc strdup allocation allocations allocate 堆 分配 动态分配
unsafe
shell shell=true os.system 命令行
subprocess subprocesses 子进程
delete deletes deleted deletion hard-delete hard-deleted remove removes removed 删除 物理删除
soft-delete soft-deleted 软删除 逻辑删除
user users 用户
order orders 订单
field fields 字段
query queries 查询
parameter parameters 参数
header headers
column columns 列 列名
snake_case snake-case 下划线
camelcase camel-case 驼峰
kebab-case
websocket websockets ws wss
sse server-sent-events eventsource event-stream 事件流 服务端推送
poll polling long-polling 轮询 长轮询
date dates 日期
sync synchronous 同步
async asynchronous 异步
orm sqlalchemy peewee models
sql plain-sql sql-files 原生sql
store stores
type types 类型
cast casts
adapter adapters 适配器 适配层
billing 计费 账单
frozen freeze freezing 冻结
audit audits 审计
automatic automatically 自动
edit edits edited editing correct corrected rewrite rewritten format formatted change changes changed
  changing modify modified touch touched patch patched 改 改动 修改 编辑 动
file files 文件
migration-applied applied 已执行 已应用
union unions
match match-statement
production prod 生产 生产环境 线上
deploy deploys deployment 部署 上线
database databases db 数据库
friday fridays 周五 星期五
comment comments 注释
secret secrets password passwords 密码 密钥 口令
port ports 端口
config configuration 配置
memory 内存
rate-limit 限流 限速
version versions 版本
size sizes 大小
name names naming 命名 名字 字段名
request requests 请求
outgoing outbound external 对外 外部
http https
"""
"""One group of words a line; a line that begins with a blank goes on with the group before it."""


def _table() -> dict[str, int]:
    out: dict[str, int] = {}
    number = 0
    for line in _GROUPS.splitlines():
        number += not line.startswith(" ")
        for word in line.split():
            out.setdefault(word, number)
    return out


_CONCEPTS = _table()
_PHRASES = sorted((word for word in _CONCEPTS if "-" in word), key=len, reverse=True)
_CHINESE_WORDS = sorted((word for word in _CONCEPTS if re.match("[\u3400-\u9fff]", word)), key=len, reverse=True)
_TOKEN = re.compile(
    r"(?P<number>(?<![\w.])\d[\d,]*(?:\.\d+)?)(?P<unit>\s?(?:%|[kmgt]i?b\b|ms\b|s\b|seconds?\b|"
    r"minutes?\b|min\b|h\b|hours?\b|days?\b|characters?\b|lines?\b|tokens?\b|秒|分钟|小时|天|条|次|字符|行))?"
    r"|(?P<path>(?:[\w.@-]+/)+[\w.@*-]*)|(?P<word>[A-Za-z_][\w]*(?:[.=-]\w+)*(?:\(\))?)|(?P<cjk>[\u3400-\u9fff]+)",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def concept(word: str) -> str:
    """Return the key under which a word counts: the same for its forms and its translation."""
    low = word.lower().removesuffix("()").removesuffix(".js").strip("-.")
    if low in _CONCEPTS:
        return f"#{_CONCEPTS[low]}"
    for ending in ("ies", "es", "s", "ing", "ed"):
        stem = low[: -len(ending)]
        if low.endswith(ending) and len(stem) > 2:
            for candidate in (stem, stem + "e", stem + "y"):
                if candidate in _CONCEPTS:
                    return f"#{_CONCEPTS[candidate]}"
    if low.endswith("s") and low.isalpha() and len(low) > 3 and not low.endswith("ss"):
        low = low[:-1]
    return low


_NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "eight": "8", "ten": "10",
    "twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100",
}  # fmt: skip
_NUMBER_WORD = re.compile(
    r"\b(" + "|".join(_NUMBERS) + r")(?=\s+(?:seconds?|minutes?|hours?|days?|mb|kb|entries|items))"
)


def _as_digits(match: re.Match[str]) -> str:
    return _NUMBERS[match[1]].rjust(len(match[1]))


@lru_cache(maxsize=4096)
def concepts(text: str) -> tuple[tuple[str, int, int], ...]:
    """Return the concepts of a text with their spans: words, known phrases, paths, numbers with units, Chinese
    words.
    """
    low = _NUMBER_WORD.sub(_as_digits, text.lower())
    out: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(low):
        if match["number"]:
            out.append((f"={number_key(match['number'], match['unit'] or '')}", match.start(), match.end()))
        elif match["path"]:
            out.extend(_path(match["path"], match.start()))
        elif match["word"]:
            out.extend(_word(match["word"], match.start()))
        else:
            out.extend(_chinese(match["cjk"], match.start()))
    spaced = re.sub(r"[\s]", "-", low)
    for phrase in _PHRASES:
        at = spaced.find(phrase)
        while at >= 0:
            out.append((concept(phrase), at, at + len(phrase)))
            at = spaced.find(phrase, at + len(phrase))
    whole = [(start, end) for word, start, end in out if " " in low[start:end] and not word.startswith("=")]
    if whole:
        out = [
            item
            for item in out
            if not any(
                low_end <= item[1] and item[2] <= high and (item[1], item[2]) != (low_end, high)
                for low_end, high in whole
            )
        ]
    out.sort(key=lambda item: item[1])
    return tuple(out)


def _path(path: str, start: int) -> list[tuple[str, int, int]]:
    """Return a path and its folders; words joined by a slash are words as well."""
    end = start + len(path)
    parts = path.rstrip("/.*").split("/")
    out = [("/".join(parts[: number + 1]) + "/", start, end) for number in range(len(parts))]
    if not path.endswith("/") and "." not in parts[-1]:
        position = start
        for part in parts:
            if len(part) > 1:
                out.append((concept(part), position, position + len(part)))
            position += len(part) + 1
    return out


def _word(word: str, start: int) -> list[tuple[str, int, int]]:
    found = [(concept(word), start, start + len(word))]
    if re.search(r"[.=]", word) and concept(word)[0] != "#" and not word.endswith(".js"):
        position = start
        for piece in re.split(r"[.=-]", word):
            if len(piece) > 2:
                found.append((concept(piece), position, position + len(piece)))
            position += len(piece) + 1
    return found


def _chinese(run: str, start: int) -> list[tuple[str, int, int]]:
    out = []
    position = 0
    while position < len(run):
        word = next((word for word in _CHINESE_WORDS if run.startswith(word, position)), None)
        if word is None:
            position += 1
            continue
        out.append((concept(word), start + position, start + position + len(word)))
        position += len(word)
    return out


def number_key(number: str, unit: str) -> str:
    """Return a number with its unit in one spelling: ``5s`` for "5 seconds", "5 秒" and "5 s"."""
    plain = number.replace(",", "")
    short = unit.strip().lower()
    units = {
        "seconds": "s",
        "second": "s",
        "秒": "s",
        "minutes": "min",
        "minute": "min",
        "分钟": "min",
        "hours": "h",
        "hour": "h",
        "小时": "h",
        "天": "day",
        "days": "day",
        "mib": "mb",
        "kib": "kb",
        "gib": "gb",
        "条": "",
        "次": "",
    }
    return plain + units.get(short, short.rstrip("s") if len(short) > 2 else short)
