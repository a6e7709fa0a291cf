"""How often models find names in some forms, exactly: 老王, 张某, the 赵 of 赵女士, 国栋, Tampa.

    python -m benchmarks.forms_in_frames [MODEL…]

Each surname stands in each form and in each of some sentences that we wrote, and so do given names
alone and names from Japan, persons, places and organisations in Latin letters, firms and places
that are seldom named, clubs that are called by a place and a name, and short names of schools; no
name but given names alone is in a list that a model learnt from. Besides these stand countries
before the head of an office (法国外交部长) or 会 (法国会赢), places before 办 and before events
(索契冬奥会), hyphens in names and between them, provinces in a row (沪苏浙皖), short titles (王局)
and 姓王, towns of Japan, firms called 苹果 and 小米, and what is no name: the banks of a river
(两岸), things after 张 as a measure word (买了张沙发), drugs, fruit and grain, roles within other
words (保姆 in 保姆车), storms, old acquaintances (老街坊), dogs, dishes, cars, diseases, peoples,
and English words. A count says how often a model that marks persons, places, organisations and
positions has the name with both edges right, or nothing of the kind in what is none. The sentences
are alike, so the share is that of the form, not of running text. Writes
`benchmarks/results/forms-in-frames.json`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import fenjie
from benchmarks.machine import save
from benchmarks.modern import NAMES
from benchmarks.scripts import parser, run, typed
from fenjie.text.span import Span

SURNAMES = "王李张刘陈杨赵黄周吴徐孙马胡朱郭何林高罗方钟"
SAID = (
    "{}，您现在方便说话吗？",
    "这件事我已经跟{}说过了。",
    "{}昨天晚上给我打电话了。",
    "嗯，{}那边是怎么说的？",
    "刚才{}来过了，你不在。",
)
WRITTEN = (
    "犯罪嫌疑人{}已被刑事拘留。",
    "法院判决{}赔偿五万元。",
    "{}今年三十五岁，无业。",
)
TITLES = (
    *("总", "经理", "主任", "老师", "医生", "大夫", "教授", "先生", "女士", "师傅", "阿姨"),
    *("叔叔", "奶奶", "局长", "同志", "导", "队"),
)
GIVEN = (
    *("国栋", "志明", "丽华", "晓东", "海涛", "雪梅", "俊杰", "秀英"),
    *("思远", "佳怡", "子轩", "浩然", "春生", "美玲", "家豪", "淑芬"),
    *("振华", "雨婷", "志强", "玉兰", "阿强", "阿芳", "婷婷", "强子"),
)
LATIN = ("Gavin", "Bella", "Ethan", "Cathy", "Hugo", "Ruth", "Derrick", "Chloe", "Zack", "Lena")
JAPANESE = (
    *("小池百合子", "小野田纪美", "小栗旬", "小松菜奈", "小田和正", "羽生结弦", "高桥留美子"),
    *("坂本龙一", "黑泽明", "是枝裕和", "滨崎步", "长泽雅美", "稻盛和夫", "三苫薰", "柳井正"),
)
PLACES = (
    *("Tampa", "Leeds", "Basel", "Nairobi", "Quebec"),
    *("Naples", "Brisbane", "Oakland", "Phuket", "Calgary"),
)
BODIES = (
    *("Safeway", "Comcast", "Purdue", "Nestle", "Vodafone"),
    *("Wayfair", "Cornell", "Rutgers", "UNESCO", "CNBC"),
)
FIRMS = (
    *("朴朴", "得物", "问界", "影石", "通威"),
    *("塔斯汀", "名爵", "云鲸", "纳恩博", "卡旺卡"),
)
TOWNS = (
    *("仙本那", "德布勒森", "蒙特雷", "图尔库", "坦佩雷"),
    *("克卢日", "帕丘卡", "若尔盖", "松潘", "德格"),
)
CLUBS = (
    *("大连英博", "沧州雄狮", "南通支云", "石家庄功夫", "四川金强", "川崎前锋"),
    *("犹他爵士", "新奥尔良鹈鹕", "圣安东尼奥马刺", "诺丁汉森林", "吉达国民", "伍尔弗汉普顿流浪者"),
)
SCHOOLS = ("苏大", "郑大", "燕大", "贵大", "湘大", "华农", "北交大", "西农", "长沙一中", "绍兴一中")
STUDIED = (
    "他儿子考上{}了。",
    "我是{}毕业的，学的是会计。",
    "她现在在{}教书。",
    "明天{}有个讲座，你去不去？",
    "{}的食堂比我们这儿便宜。",
)
WORKED = (
    "他在{}上班。",
    "我去年从{}辞职了。",
    "{}最近在裁员。",
    "她拿到了{}的录取通知。",
    "听说{}要来中国。",
)
TRAVELLED = (
    "她从{}飞回来了。",
    "我表哥在{}工作。",
    "{}那边现在几点了？",
    "下个月去{}出差，你去不去？",
    "他们一家搬到{}了。",
)
PLAYED = ("{}昨晚2比1赢了。", "他去年转会去了{}。", "{}的主教练下课了。")
COUNTRIES = ("法国", "美国", "意大利", "巴西", "韩国", "乌克兰")
OFFICES = (
    *("外交部长", "国防部长", "财政部长", "教育部长"),
    *("司法部长", "能源部长", "卫生部长", "移民局长"),
)
REPORTED = ("{}昨天抵达北京。", "记者采访了{}。", "这番话是{}在会上说的。")
SHEETS = (
    *("沙发", "桌子", "双人床", "椅子", "照片", "海报", "健身卡", "高铁票"),
    *("餐巾纸", "图", "新专辑", "发票", "合影", "名片", "地图", "试卷"),
)
GOT = ("他又弄了{}回来。", "给我来{}，谢谢。", "桌上放着{}。", "我就要了{}，别的没要。")
DRUGS = (
    *("替尔泊肽", "氯雷他定", "格列美脲", "帕罗西汀", "阿托伐他汀", "蒙脱石散", "头孢拉定"),
    *("缬沙坦", "依那普利", "莫西沙星", "吉非替尼", "瑞格列奈", "多潘立酮", "坦索罗辛"),
)
PRESCRIBED = ("医生给他开了{}。", "{}一天吃几次？", "最近{}又涨价了。")
EATEN = (
    *("我吃了个{}。", "{}多少钱一斤？", "这{}真甜。", "超市里的{}又涨价了。"),
    *("他家种了十亩{}。", "每天一个{}，医生远离我。", "今年{}丰收了。", "妈妈在厨房削{}。"),
)
COOKED = (
    *("今年{}丰收了。", "早饭喝了碗{}粥。", "{}要先泡一晚上。", "他家种了十亩{}。"),
    *("锅里煮着{}和红枣。", "{}多少钱一斤？"),
)
FLOWED = (
    *("河{}的树都绿了。", "这座桥连起了江的{}。", "沿着{}走，能看到渔火。"),
    *("{}的村民靠渡船来往。", "赣江{}灯火通明。", "洪水退去，{}一片泥泞。"),
)
HOSTS = ("平昌", "索契", "悉尼", "郑州", "厦门", "釜山")
EVENTS = ("冬奥会", "青奥会", "大运会", "亚运会", "世博会", "马拉松", "电影节", "车展")
OPENED = ("{}下周开幕。", "他报名当{}的志愿者。", "{}的门票卖完了。")
SOLD = (
    *("{}发布了新手机。", "{}股价大涨。", "他在{}当工程师。", "{}起诉了高通。"),
    *("{}第三季度营收同比增长8%。", "{}和华为哪个好？", "{}的发布会几点开始？", "听说{}要造车。"),
)
WITH_ROLES = (
    *("律师费", "总理府", "院士馆", "教练席", "裁判席", "船长证", "主播台", "厨师服"),
    *("保姆车", "秘书台", "导游证", "法官袍", "编剧组", "司机室", "校长奖", "作家榜"),
)
MENTIONED = ("这跟{}有什么关系？", "他提到了{}。", "关于{}，我不太清楚。")

ABLE = ("中国", "美国", "德国", "英国", "韩国", "泰国")
WILL = ("我觉得{}会赢。", "{}会不会出兵？", "专家认为{}会进一步扩大开放。", "明年{}会有更多机会。")
HELD_IN = ("铁岭", "义乌", "三亚", "沈阳", "台北", "宜昌")
HELD = ("婚礼回{}办。", "这届展会在{}办。", "年会放{}办吧。", "手续得回{}办。")
HYPHENED = ("阿卜杜勒-马利克", "金-卡戴珊", "卡里姆-本泽马", "让-保罗", "伊恩－拉什", "蒂埃里—亨利")
DOUBLE = (
    "伯克希尔-哈撒韦",
    "罗尔斯-罗伊斯",
    "汤森-路透",
    "洛克希德-马丁",
    "梅赛德斯-奔驰",
    "强生-杨森",
)
FROM_TO = ("北京-{}的航班取消了。", "{}—广州的高铁开通了。", "{}-昆明的火车晚点了。")
ROWS = ("沪苏浙皖", "晋冀鲁豫", "湘鄂赣", "黔桂", "陕甘宁青", "粤桂琼", "苏鲁豫皖", "京沪")
IN_ROW = ("{}协同发展。", "{}签署了合作协议。", "暴雨将影响{}等地。")
SHORT = ("局", "队", "院", "处", "工")
RARE = "柯涂翁饶裴郗王李林"
CALLED = ("我姓{}。", "他姓{}，叫什么我忘了。", "警方逮捕了一名{}姓男子。", "{}姓女子报了警。")
TOWNS_OF_JAPAN = ("箕面", "弘前", "舞鹤", "下吕", "佐贺", "宫津", "米子", "沼津")
STORMS = ("摩羯", "贝碧嘉", "泰利", "康妮", "卢碧", "菲特", "米尔顿", "海伦")
BLEW = ("台风{}登陆福建。", "受台风“{}”影响，航班取消。", "飓风{}造成两人死亡。", "台风{}来了。")
OLD = ("老街坊", "老戏骨", "老网虫", "老影迷", "老票友", "老赖", "老江湖", "老铁", "老乡", "老外")
DOGS = ("喜乐蒂", "博美", "比格", "藏獒", "斯芬克斯")
DISHES = ("费南雪", "可丽饼", "帕尼尼", "玛德琳", "法棍")
CARS = ("凯越", "雷凌", "途昂", "探岳", "赛拉图")
DISEASES = ("马凡综合征", "特纳综合征", "格雷夫斯病", "雷诺病", "汉坦病毒")
PEOPLES = ("达斡尔族", "柯尔克孜族", "哈尼族", "傈僳族", "朝鲜族", "东乡族")
ENGLISH = ("deadline", "essay", "push", "social", "brunch", "gym", "remind", "landlord")
WALKED = ("楼下有人捡到{}一只。", "我家{}特别乖。", "她养了两只{}。", "{}掉毛吗？")
TASTED = ("我点了{}和咖啡。", "这家的{}真好吃。", "{}怎么做？", "周末在家烤{}。")
DROVE = ("他买了辆{}。", "我家{}开了十年了。", "{}多少公里保养？", "楼下停着一辆{}。")
ILL = ("他得了{}。", "{}能治好吗？", "医生说是{}。", "{}患者越来越多。")
BORN = ("她是{}。", "他娶了个{}姑娘。", "{}的歌很好听。", "{}人口不多。")
CHATTED = ("这个{}很重要。", "你的{}怎么样了？", "他又在{}了。", "明天还有一个{}，烦死了。")
NOTHING = (
    ("a storm", STORMS, BLEW),
    ("an old acquaintance", OLD, MENTIONED),
    ("a dog", DOGS, WALKED),
    ("a dish", DISHES, TASTED),
    ("a car", CARS, DROVE),
    ("a disease", DISEASES, ILL),
    ("a people", PEOPLES, BORN),
    ("an English word", ENGLISH, CHATTED),
)
"""Forms of what is no name, the things and the sentences."""


class Framed(NamedTuple):
    """A sentence with a name, or with what is none.

    Attributes:
        form: its form.
        text: the sentence.
        name: where it stands, the title left out, and the type of a name.
        absent: the types of which nothing may be found in it; empty for a name.
    """

    form: str
    text: str
    name: Span
    absent: frozenset[str] = frozenset()

    def is_right(self, found: Collection[Span]) -> bool:
        """Whether the entities that a model found are right about it."""
        if not self.absent:
            return self.name in found
        start, end = self.name.start, self.name.end
        over = (span for span in found if span.start < end and start < span.end)
        return self.absent.isdisjoint(span.label for span in over)


def main() -> None:
    """Tag the sentences by each model, print and save the counts by form."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner", "ner-small"], help="names or folders")
    found = {model: counts(model) for model in options.parse_args().models}
    for model, forms in found.items():
        for form, (right, of) in forms.items():
            print(f"{model}  {form}  {right} of {of}")
    save("forms-in-frames", {"command": typed(), "found": found})


def counts(model: str) -> dict[str, tuple[int, int]]:
    """For each form the number of sentences in which a model is right, and of all."""
    framed = list(sentences())
    tagged = fenjie.load(model)([one.text for one in framed])
    hits: dict[str, list[bool]] = {}
    for one, answer in zip(framed, tagged, strict=True):
        hits.setdefault(one.form, []).append(one.is_right(answer.spans))
    return {form: (sum(right), len(right)) for form, right in hits.items()}


def sentences() -> Iterator[Framed]:
    """The names in all forms and sentences."""
    for surname in SURNAMES:
        for form, name in (("老X", f"老{surname}"), ("小X", f"小{surname}")):
            yield from framed(form, name, SAID)
        yield from framed("X某", f"{surname}某", WRITTEN)
        for title in TITLES:
            yield from framed("X and a title", surname, SAID, title)
    for name in GIVEN:
        yield from framed("a given name", name, SAID)
    for name in LATIN:
        yield from framed("a name in Latin letters", name, SAID)
    for name in JAPANESE:
        yield from framed("a name from Japan", name, SAID)
    for name in PLACES:
        yield from framed("a place in Latin letters", name, TRAVELLED, label="LOC")
    for name in BODIES:
        yield from framed("an organisation in Latin letters", name, WORKED, label="ORG")
    for name in FIRMS:
        yield from framed("a firm", name, WORKED, label="ORG")
    for name in TOWNS:
        yield from framed("a place", name, TRAVELLED, label="LOC")
    for name in SCHOOLS:
        yield from framed("a school", name, STUDIED, label="ORG")
    for country in COUNTRIES:
        for office in OFFICES:
            yield from framed("a country before an office", country, REPORTED, office, "LOC")
    for name in CLUBS:
        yield from framed("a club", name, PLAYED, label="ORG")
    yield from beside_others()
    for name in ("苹果", "小米"):
        yield from framed(f"{name}, a firm", name, SOLD, label="ORG")
    yield from absent("苹果, fruit", "苹果", EATEN, "ORG")
    yield from absent("小米, grain", "小米", COOKED, "ORG")
    yield from absent("两岸, of a river", "两岸", FLOWED, "LOC")
    for thing in SHEETS:
        yield from absent("张 before a thing", f"张{thing}", GOT, "PER")
    for drug in DRUGS:
        yield from absent("a drug", drug, PRESCRIBED, "PER", "LOC", "ORG")
    for word in WITH_ROLES:
        yield from absent("a role in another word", word, MENTIONED, "POSITION")
    for form, things, frames in NOTHING:
        for thing in things:
            yield from absent(form, thing, frames, *NAMES)


def beside_others() -> Iterator[Framed]:
    """Names beside verbs, hyphens, titles and one another."""
    for name in ABLE:
        yield from framed("a country before 会", name, WILL, label="LOC")
    for name in HELD_IN:
        yield from framed("a place before 办", name, HELD, label="LOC")
        yield from framed("a place beside a hyphen", name, FROM_TO, label="LOC")
    for name in HOSTS:
        for event in EVENTS:
            yield from framed("the place of an event", name, OPENED, event, "LOC")
    for name in HYPHENED:
        yield from framed("a person with a hyphen", name, REPORTED)
    for name in DOUBLE:
        yield from framed("a firm with a hyphen", name, WORKED, label="ORG")
    for row in ROWS:
        for at, name in enumerate(row):
            frames = tuple(frame.format(f"{row[:at]}{{}}{row[at + 1 :]}") for frame in IN_ROW)
            yield from framed("a province in a row", name, frames, label="LOC")
    for surname in SURNAMES:
        for title in SHORT:
            yield from framed("X and a short title", surname, SAID, title)
    for surname in RARE:
        yield from framed("a surname beside 姓", surname, CALLED)
    for name in TOWNS_OF_JAPAN:
        yield from framed("a town of Japan", name, TRAVELLED, label="LOC")


def absent(form: str, thing: str, frames: tuple[str, ...], *labels: str) -> Iterator[Framed]:
    """What is no name, in each of some sentences, and the types that it is not."""
    for one in framed(form, thing, frames):
        yield one._replace(absent=frozenset(labels))


def framed(
    form: str, name: str, frames: tuple[str, ...], title: str = "", label: str = "PER"
) -> Iterator[Framed]:
    """A name, with a title after it, in each of some sentences."""
    for frame in frames:
        start = frame.index("{}")
        span = Span(start, start + len(name), label)
        yield Framed(form, frame.format(name + title), span)


if __name__ == "__main__":
    run(main)
