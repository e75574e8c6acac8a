"""The wording of actions that somebody with tools would take, English and Chinese, and of what makes them unreal."""

from __future__ import annotations

import re

STRONG = (
    r"(?:re-?)?ran|executed|(?:re-?|load-|stress-|smoke-)?tested|benchmarked|profiled|timed|measured|queried|"
    r"grepped|searched|cloned|checked (?:it |this |that |them )?out|"
    r"pulled|committed|pushed|merged|tagged|deployed|published|released|shipped|rolled out|installed|compiled|"
    r"(?:re)?built|reproduced|bisected|rebased|"
    r"cherry-picked|fixed|patched|refactored|implemented|migrated|uploaded|downloaded|restarted|re-?indexed|"
    r"applied|inspected|scanned|linted|traced|"
    r"dumped|connected to|logged in(?:to)?|ssh(?:ed|'d) into|backed up|reverted|bumped|wired up|hooked up|spun up|"
    r"took the liberty of \w+ing|managed to (?:reproduce|run|build|fix|get)|was able to (?:reproduce|run|build|fix|"
    r"get)|finished (?:running|testing|building|deploying|migrating|benchmarking|profiling|checking)"
)
WEAK = (
    r"updated|changed|edited|modified|added|removed|deleted|dropped|moved|renamed|replaced|created|opened|filed|"
    r"wrote|written|rewrote|rewritten|set|configured|"
    r"enabled|disabled|switched|split|extracted|inlined|converted|cleaned up|verified|confirmed|checked|"
    r"double-checked|validated|looked (?:through|into|in|at|up)|"
    r"went through|gone through|opened|read through|counted|compared|found|made|put|took|linked|closed|sent|tried|"
    r"simulated|generated|recorded|captured|saw|got|seen|had a (?:quick |close |closer )?look (?:at|into|through)|"
    r"took a (?:quick |close |closer )?look (?:at|into|through)|noticed|observed|used|called|hit|checked in|wired"
)
ADVERBS = (
    r"(?:(?:just|now|also|already|since|then|actually|even|quickly|both|successfully|locally|personally|myself|"
    r"went ahead and|gone ahead and)\s+){0,3}"
)
DID = re.compile(
    rf"(?i)(?<![\w'])(?:i|we)(?:'ve|\s+have|\s+had|\s+did)?\s+{ADVERBS}(?P<verb>(?P<strong>{STRONG})|"
    rf"(?P<weak>{WEAK}))\b(?!\s+into\b(?<!looked into))(?!\s+through\b(?<!looked through)(?<!read through)(?<!went "
    rf"through)(?<!gone through))"
)
ALSO = re.compile(
    rf"(?i)(?:,|;|\band\b|\bthen\b)\s+(?:then\s+|also\s+)?(?P<verb>(?P<strong>{STRONG})|(?P<weak>{WEAK}))\s+(?:it|"
    rf"them|this|that|the|all|both|each|a|an|as|in|on|to|with|against|\d|`)"
)
BARE = re.compile(
    rf"(?i)^(?:(?:ok(?:ay)?|yes|done|also|then|so|and|finally)[,.:;—–-]*\s+)?(?:just\s+|now\s+|"
    rf"already\s+)?(?P<verb>(?P<strong>{STRONG})|(?P<weak>updated|changed|edited|added|removed|deleted|moved|"
    rf"renamed|replaced|"
    r"created|opened|wrote|rewrote|set|switched|split|extracted|verified|confirmed|checked|looked through|counted|"
    r"filed))\s+"
    r"(?:(?!(?:in|since|with|by|at) (?:\d|v\d|(?-i:[A-Z])[a-z]+,?\b(?! (?:and|\d)))|as of)(?:it|them|this|that|"
    r"these|those|the|all|both|each|every|a|an|as|in|on|to|from|with|against|under|locally|again|twice|and|your|my|"
    r"two|three|four|five|clean\w*|\d[\d,.]*)\b|`|[\"']|[\w./-]+\.[a-z]{1,4}\b)"
)
PASSIVE = re.compile(
    r"(?i)\b(?:was|were|has been|have been|is now|are now)\s+(?:now\s+|also\s+|just\s+)?(?:run|executed|committed|"
    r"pushed|deployed|published|merged|applied|installed|set to|updated|"
    r"tagged|built|rebuilt|tested|benchmarked|measured|migrated|created|removed|added|fixed|patched|renamed|"
    r"replaced|released|rolled out)\b"
)
RESULT_HEAD = re.compile(
    r"(?i)^(?:(?:load|stress|unit|integration|smoke|regression|benchmark|test|build|lint|scan|profiling|"
    r"measurement)[\w -]{0,20}\s)(?:results?|outcome|measurements?|timings?)\s*(?:of (?:my|the) \w+ ?)?[:：]\s*\S|"
    r"^(?:压测|测试|运行|执行|实测|基准(?:测试)?|构建|跑分|扫描|性能)(?:的)?(?:结果|输出|数据)(?:如下)?(?:[:：]|是|"
    r"显示)\s*\S"
)
HAVING = re.compile(
    r"(?i)^(?:(?:so|and|now)[, ]+)?(?:having|after|by)\s+(?:now\s+)?(?:re-?)?(?:run|running|tested|testing|"
    r"executed|executing|built|building|benchmarked|benchmarking|profiled|profiling|measured|measuring|"
    r"deployed|deploying|applied|applying|queried|querying)\b[^.]{0,120}?,\s+i\s+(?:see|saw|get|got|can (?:report|"
    r"confirm|say)|found|find|measured|have|observed?)\b|"
    r"\bmy (?:own |local |test |first |second |last )*(?:runs?|tests?|test suite|benchmarks?|measurements?|"
    r"profil\w+|build|checkout|environment|machine|laptop|sandbox)\b[^.]{0,40}?\b(?:shows?|showed|gives?|gave|"
    r"prints?|"
    r"printed|reports?|took|takes|pass(?:es|ed)?|fail(?:s|ed)?|yields?|confirms?|says?)\b|\bon my (?:side|machine|"
    r"laptop|end)\b.{0,60}\d|\bafter my (?:change|fix|patch|edit|commit)\b|\b(?:output|result|log)s? (?:of|"
    r"from) my (?:\w+ )?(?:run|tests?|command|session|benchmark)\b"
    r"|\b(?:a|one|another) (?:quick |short |first |second |local |full |clean )?(?:run|test run|benchmark|profile|"
    r"grep|search|scan) (?:of [^.,]{1,40} )?(?:here |locally )?(?:shows?|gives?|gave|showed|confirms?|confirmed|"
    r"finds?|"
    r"found|turns? up|returns?|prints?)\b|\brunning (?:it|this|that|the \w+|`[^`]{1,60}`) (?:locally |here |"
    r"on my \w+ )?(?:gives|gave|shows|showed|prints|printed|takes|took)\b|\bwhen i (?:run|ran|try|tried|execute|"
    r"executed)\b"
)
RUN_TRACE = re.compile(
    r"(?i)\bmy (?:run|machine|laptop|test run|benchmark|sandbox|checkout|clone)\b|我的?(?:机器|环境|本地)|"
    r"跑了\S{0,6}(?:分钟|小时|秒|遍|次|轮)|压测机"
)

ZH_VERBS = (
    r"跑|运行|执行|测试|实测|测|试着?|验证|复现|压测|提交|推送|推|合并|发布|部署|上线|构建|编译|安装|修复|修|改|"
    r"修改|更新|替换|重构|实现|写|加|添加|删除|删|移除|"
    r"移动|挪|重命名|创建|新建|建|打开|开|搜索|搜|查|检查|扫描|扫|翻|拉|克隆|量|统计|对比|回滚|迁移|切换|配置|设置|"
    r"调整|拆|抽|打(?:了)?标签|打标签|登录|连上|确认|核实|看|请求|grep ?|rg ?|curl ?|push ?|merge ?|commit ?|"
    r"rebase ?|build ?|deploy ?|revert ?|调用|抓包|抓|回放|导出|导入"
)
_ZH_ADVERBS = r"(?:刚才|刚刚|刚|已经|已|也|又|就|顺手|顺便|先|本地|亲自|试着)"
ZH_DID = re.compile(
    rf"(?:我|咱们?){_ZH_ADVERBS}{{0,3}}(?:(?:在|用|对|把|按|打开|连上|登录|"
    rf"调用)[^，。；我]{{1,30}}?)?{_ZH_ADVERBS}{{0,2}}"
    rf"(?P<verb>{ZH_VERBS})(?:[一二三四五六七八九十两几]?[次遍下轮])?(?P<aspect>了|过|完|好|出|到|掉|下来|通)"
)
ZH_DID_DONE = re.compile(
    rf"(?:我)?(?:已经|已)(?:按[^，。；]{{1,10}})?(?:[把将][^，。；]{{1,24}}?)?(?:全部|都|"
    rf"在[^，。；]{{1,12}}?)?(?P<verb>{ZH_VERBS})"
)
ZH_STATE = re.compile(
    r"(?:补丁|修改|改动|代码|修复|更改|迁移|变更|分支|版本|镜像|索引|开关)(?:都|也|均)?(?:已经?|全部)(?:应用|提交|"
    r"推送|合并|部署|发布|更新|生效|上线|修改|完成|打上|执行|创建|删除)|"
    r"刚[刚才]?在[^，。；]{1,12}(?:压测|测试|测|跑|验证|执行|运行|复现)|^(?:刚刚?|刚才)\S{0,6}?(?:跑|测|压测|验证|"
    r"执行|运行|复现|构建|编译|提交|推送|部署|合并)(?:完|了|过)|"
    r"^(?:本地|本机|线上|预发)\S{0,4}?(?:编译|构建|测试|运行|验证|回归)(?:都|已|全部)?(?:通过|成功|没问题)(?!之?后|"
    r"了?再|才)|^[^你您，。]{1,16}(?:已经?)被?(?:删除|移除|修复|提交|推送|合并|部署|替换|应用|改好|"
    r"重命名)(?!之?后)|^(?:经过?|据)?(?:我的?)?(?:实测|压测)(?:后|显示|表明|下来|$)(?!再)|我这边(?:跑|测|编译|复现|"
    r"验证)|跑(?:下|出)来的?(?:结果)?(?:是|，)|我(?:实测|压测|测得|测出|"
    r"量得|查到|搜到|跑出|抓到)"
)
ZH_PASSED = re.compile(
    rf"(?:脚本|测试|用例|命令|流水线|构建|检查|迁移|压测|回归|套件|编译)\S{{0,8}}?(?:都|也|已经|已|"
    rf"全部)?(?:{ZH_VERBS})(?:过|了|完|通)"
)

UNREAL = re.compile(
    r"(?i)\b(?:would|could|should|might|if|unless|until|once|when(?:ever)?|not|never|nothing|nobody|cannot|without|"
    r"imagine|suppose|assum\w+|pretend|had i|were i|expect\w*|please|"
    r"last (?:year|month|week)|years? ago|months? ago|elsewhere|in the past|another (?:project|team|company|client|"
    r"system)|other (?:projects|teams|systems|codebases)|previous(?:ly)?|earlier project|"
    r"mentally|on paper|by hand|in my head|head)\b|n't\b"
)
ZH_UNREAL = re.compile(
    r"如果|假如|要是|应该|可以|建议|会先|将要|上游|官方|社区|等.{0,8}再|没有?(?!(?:报错|问题|失败|人))|不(?!到|足|"
    r"用锁|加锁)|未|别|请|是否|要不要|能不能|以前|去年|前年|别的项目|其他项目|心里|脑中|纸上|推演|假设|等你|"
    r"你(?:先|再|来|去|可以|已|已经|把|报告|说|跑|的)"
)
OTHERS = re.compile(
    r"(?i)\b(?:you|your executor|the executor|the user|they|he|she|somebody|someone|upstream|the team|colleague\w*|"
    r"the brief|evidence|according to|as of|since (?:version )?\d|in version|react|node|python) "
)
READING = re.compile(
    r"(?i)\b(?:items?|lists?|options?|choices?|alternatives|views?|mind|opinions?|recommendations?|answers?|"
    r"orders?|conditions?|points?|arguments?|reasoning|questions?|message|description|plan|proposal|sketch|draft|"
    r"quote\w*|what you|pasted?|attached|shown|the diff (?:you|in)|design note|"
    r"advice|verdict|summary|thoughts?|position|estimate|trade-?offs?)\b|选项|方案[甲乙丙丁一二三ABC]?(?:去掉|提到|"
    r"放)|主意|看法|意见|建议|描述"
)
GIVEN = re.compile(
    r"(?i)\b(?:numbers|sums?|math|arithmetic|calculations?|excerpts?|snippets?|brief|evidence|(?:your|the \w+|"
    r"this) (?:tables?|figures|rows?|lists?|message|trace)|what you (?:\w+)|(?:you|as) pasted|attached)\b|"
    r"表|摘录|简报|贴的|给的|列的|片段|算了|推算|推演|证据|你的数字"
)
OWN_WORDS = re.compile(
    r"(?i)^\s*(?:(?:my|an?|the|this)\s+)?(?:own\s+)?(?:answers?|advice|view|verdict|case|argument|reasoning|idea|"
    r"hypothesis|theory|logic|claim|estimate|assumptions?|reply|recommendation)\b"
)
PLACES = re.compile(
    r"(?i)\b(?:repo(?:sitory)?|code ?base|branch|main|master|staging|production|prod|ci|pipeline|workflow|checkout|"
    r"tests?|suite|build|registry|database|cluster|server|zone|dns|docker|container|"
    r"image|ticket|issue|pull request|pr|epic|file|logs?|config|env(?:ironment)?|locally|local|machine|laptop|"
    r"device|endpoint|api|url|index|migration|constraint|column|script|patch|commit|handler|hook|query|import|"
    r"browser|firefox|safari|chrome|linux|macos|windows|dig|curl|axe|npm|git)\b|仓库|分支|主干|预发|线上|生产|"
    r"流水线|"
    r"本地|环境|数据库|集群|服务器|镜像|容器|工单|文件|日志|配置|测试|用例|脚本|机器|浏览器|真机"
)
RESULTS = re.compile(
    r"(?i)\d|\b(?:all (?:green|pass\w*|tests?)|pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|green|clean|no (?:errors?|"
    r"failures?|warnings?|findings?|match\w*|vulnerabilit\w+|regressions?|diff\w*)|works|"
    r"shows?|reports?|prints?|returns?|output)\b|全部通过|都通过|通过|全绿|没有报错|无报错|成功|失败"
)
HARD = re.compile(
    r"(?i)committed|pushed|merged|deployed|published|released|tagged|shipped|rolled out|提交|推送|合并|发布|部署|"
    r"上线"
)
CODE = re.compile(r"`[^`\n]+`")
